import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { run, schemas } from "./tools.mjs";

const client = new Anthropic({ baseURL: "http://127.0.0.1:8700", apiKey: "my-key" });
const tools = schemas.map(({ name, description, parameters }) =>
  betaTool({ name, description, inputSchema: parameters, run: (input) => run(name, input) }),
);
const messages = [];

function runner(question, options) {
  messages.push({ role: "user", content: question });
  return client.beta.messages.toolRunner({
    model: "qwen3",
    max_tokens: 1000,
    messages: [...messages],
    tools,
    ...options,
  });
}

async function add({ content }, running) {
  messages.push({ role: "assistant", content });
  const results = await running.generateToolResponse();
  if (results) messages.push(results);
}

export async function ask(question) {
  const running = runner(question);
  for await (const message of running) await add(message, running);
  return messages.at(-1).content.at(-1).text;
}

export async function* stream(question) {
  const running = runner(question, { stream: true });
  for await (const events of running) {
    for await (const event of events) {
      if (event.delta?.type === "text_delta") yield event.delta.text;
    }
    await add(await events.finalMessage(), running);
  }
}
