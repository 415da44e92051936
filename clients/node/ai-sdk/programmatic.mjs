import { tools } from "./compatible.mjs";
import { openai } from "./responses.mjs";

for (const tool of Object.values(tools)) {
  tool.providerOptions = { openai: { allowedCallers: ["programmatic"] } };
}
tools.program = openai.tools.programmaticToolCalling();

export { ask, stream } from "./compatible.mjs";
