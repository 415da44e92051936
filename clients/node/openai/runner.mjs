import OpenAI from "openai";
import { run, schemas } from "./tools.mjs";

const client = new OpenAI({ baseURL: "http://127.0.0.1:8700/v1", apiKey: "my-key" });
const tools = schemas.map((schema) => ({
  type: "function",
  function: { ...schema, parse: JSON.parse, function: (args) => run(schema.name, args) },
}));
let messages = [];

export async function ask(question) {
  messages.push({ role: "user", content: question });
  const runner = client.chat.completions.runTools({ model: "qwen3", messages, tools });
  const answer = await runner.finalContent();
  messages = runner.messages;
  return answer;
}

export async function* stream(question) {
  messages.push({ role: "user", content: question });
  const runner = client.chat.completions.runTools({ model: "qwen3", messages, tools, stream: true });
  for await (const chunk of runner) yield chunk.choices[0]?.delta.content ?? "";
  messages = runner.messages;
}
