import Anthropic from "@anthropic-ai/sdk";
import { run, schemas } from "./tools.mjs";

const client = new Anthropic({ baseURL: "http://127.0.0.1:8700", apiKey: "my-key" });
export const tools = schemas.map(({ parameters, ...schema }) => ({
  ...schema,
  input_schema: parameters,
}));
const messages = [];

async function add({ content }) {
  messages.push({ role: "assistant", content });
  const results = [];
  for (const { type, id, name, input } of content) {
    if (type === "tool_use") {
      results.push({ type: "tool_result", tool_use_id: id, content: await run(name, input) });
    }
  }
  if (results.length) messages.push({ role: "user", content: results });
  return results.length;
}

export async function ask(question) {
  messages.push({ role: "user", content: question });
  while (true) {
    const options = { model: "qwen3", max_tokens: 1000, messages, tools };
    const answer = await client.messages.create(options);
    if (!(await add(answer))) return answer.content.at(-1).text;
  }
}

export async function* stream(question) {
  messages.push({ role: "user", content: question });
  let calling = true;
  while (calling) {
    const options = { model: "qwen3", max_tokens: 1000, messages, tools };
    const events = client.messages.stream(options);
    for await (const event of events) {
      if (event.delta?.type === "text_delta") yield event.delta.text;
    }
    calling = await add(await events.finalMessage());
  }
}
