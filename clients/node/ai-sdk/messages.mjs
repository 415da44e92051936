import { createAnthropic } from "@ai-sdk/anthropic";
import { options } from "./compatible.mjs";

export const anthropic = createAnthropic({ baseURL: "http://127.0.0.1:8700/v1", apiKey: "my-key" });
options.model = anthropic("qwen3");
options.maxOutputTokens = 1000;

export { ask, stream } from "./compatible.mjs";
