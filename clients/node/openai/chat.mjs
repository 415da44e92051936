import OpenAI from "openai";
import { run, schemas } from "./tools.mjs";

const client = new OpenAI({ baseURL: "http://127.0.0.1:8700/v1", apiKey: "my-key" });
const tools = schemas.map((schema) => ({ type: "function", function: schema }));
const messages = [];

async function add(message) {
  messages.push(message);
  for (const call of message.tool_calls ?? []) {
    const content = await run(call.function.name, JSON.parse(call.function.arguments));
    messages.push({ role: "tool", tool_call_id: call.id, content });
  }
  return message.tool_calls?.length;
}

export async function ask(question) {
  messages.push({ role: "user", content: question });
  while (true) {
    const answer = await client.chat.completions.create({ model: "qwen3", messages, tools });
    if (!(await add(answer.choices[0].message))) return messages.at(-1).content;
  }
}

export async function* stream(question) {
  messages.push({ role: "user", content: question });
  let calling = true;
  while (calling) {
    const chunks = client.chat.completions.stream({ model: "qwen3", messages, tools });
    for await (const chunk of chunks) yield chunk.choices[0]?.delta.content ?? "";
    calling = await add(await chunks.finalMessage());
  }
}
