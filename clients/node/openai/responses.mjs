import OpenAI from "openai";
import { run, schemas } from "./tools.mjs";

const client = new OpenAI({ baseURL: "http://127.0.0.1:8700/v1", apiKey: "my-key" });
const tools = schemas.map((schema) => ({ type: "function", ...schema }));
const items = [];

async function add(output) {
  items.push(...output);
  const calls = output.filter((item) => item.type === "function_call");
  for (const { name, call_id, arguments: args } of calls) {
    const result = await run(name, JSON.parse(args));
    items.push({ type: "function_call_output", call_id, output: result });
  }
  return calls.length;
}

export async function ask(question) {
  items.push({ role: "user", content: question });
  while (true) {
    const answer = await client.responses.create({
      model: "qwen3",
      input: items,
      tools,
      store: false,
    });
    if (!(await add(answer.output))) return answer.output_text;
  }
}

export async function* stream(question) {
  items.push({ role: "user", content: question });
  let calling = true;
  while (calling) {
    const events = client.responses.stream({ model: "qwen3", input: items, tools, store: false });
    for await (const event of events) {
      if (event.type === "response.output_text.delta") yield event.delta;
    }
    calling = await add((await events.finalResponse()).output);
  }
}
