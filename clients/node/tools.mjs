// Your tools: two functions, and what a client without a framework says of them.

export const getStock = ({ warehouse }) => answer("get_stock", { warehouse });
export const getPrice = ({ item }) => answer("get_price", { item });

/** What a tool gives, as JSON. */
export async function run(name, args) {
  return JSON.stringify(await { get_stock: getStock, get_price: getPrice }[name](args));
}

const schema = (name) => ({
  type: "object",
  properties: { [name]: { type: "string" } },
  required: [name],
});

export const schemas = [
  { name: "get_stock", description: "What lies there.", parameters: schema("warehouse") },
  { name: "get_price", description: "Cents for one.", parameters: schema("item") },
];

/** The suite answers, and counts. */
async function answer(name, args) {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify(args);
  return (await fetch(`${process.env.TOOLS_URL}/${name}`, { method: "POST", headers, body })).json();
}
