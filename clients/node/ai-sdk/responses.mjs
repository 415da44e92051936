import { createOpenAI } from "@ai-sdk/openai";
import { options } from "./compatible.mjs";

export const openai = createOpenAI({ baseURL: "http://127.0.0.1:8700/v1", apiKey: "my-key" });
options.model = openai.responses("qwen3");
options.providerOptions = { openai: { store: false } };

export { ask, stream } from "./compatible.mjs";
