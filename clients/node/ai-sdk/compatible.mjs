import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, isStepCount, streamText, tool } from "ai";
import { z } from "zod";
import { getPrice, getStock } from "./tools.mjs";

const baseURL = "http://127.0.0.1:8700/v1";
const coderelay = createOpenAICompatible({ name: "coderelay", baseURL, apiKey: "my-key" });
export const tools = {
  get_stock: tool({
    description: "What lies in a warehouse: an item, and how many there are.",
    inputSchema: z.object({ warehouse: z.string() }),
    execute: getStock,
  }),
  get_price: tool({
    description: "What one piece of an item costs, in cents.",
    inputSchema: z.object({ item: z.string() }),
    execute: getPrice,
  }),
};
export const options = { model: coderelay("qwen3"), tools, stopWhen: isStepCount(20) };
const messages = [];

export async function ask(question) {
  messages.push({ role: "user", content: question });
  const result = await generateText({ ...options, messages });
  messages.push(...result.responseMessages);
  return result.text;
}

export async function* stream(question) {
  messages.push({ role: "user", content: question });
  const result = streamText({ ...options, messages });
  yield* result.textStream;
  messages.push(...(await result.responseMessages));
}
