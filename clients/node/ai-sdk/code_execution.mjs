import { tools } from "./compatible.mjs";
import { anthropic } from "./messages.mjs";

for (const tool of Object.values(tools)) {
  tool.providerOptions = { anthropic: { allowedCallers: ["code_execution_20260120"] } };
}
tools.code_execution = anthropic.tools.codeExecution_20260120();

export { ask, stream } from "./compatible.mjs";
