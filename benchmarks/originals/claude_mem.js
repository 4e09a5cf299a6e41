// claude-mem's own SessionStore writes a database, with which it also counts.
//   npm pack claude-mem && tar xzf claude-mem-*.tgz; npm install bun zod shell-quote
//   NODE_PATH=node_modules bun claude_mem.js package/plugin/sqlite/SessionStore.js FOLDER/claude-mem.db
const { SessionStore } = require(require("path").resolve(process.argv[2]));
const store = new SessionStore(process.argv[3]);
const types = ["decision", "bugfix", "feature", "refactor", "discovery", "change"];
for (let s = 0; s < 5; s++) {
  const [session, memory, project] = [`content-${s}`, `memory-${s}`, s < 3 ? "shop" : "barn"];
  const host = s === 4 ? "codex" : "claude-code";
  const id = store.createSDKSession(session, project, `Goal ${s}`, s % 2 ? `Title ${s}` : undefined, host);
  store.ensureMemorySessionIdRegistered(id, memory);
  for (let p = 1; p <= 3; p++) store.saveUserPrompt(session, p, `Prompt ${p} of session ${s}`, id);
  const seen = Array.from({ length: 12 }, (_, o) => ({
    type: types[o % 6], title: `Observation ${s}.${o} on rounding`, subtitle: `sub ${o}`,
    facts: [`fact ${s}.${o} one`, `fact ${s}.${o} two`], narrative: `In session ${s}, step ${o}.`,
    concepts: ["how-it-works", "gotcha"], files_read: ["src/cart.py"],
    files_modified: [`src/total_${o}.py`] }));
  const summary = { request: `Request ${s}`, investigated: "the cart", learned: `Half up ${s}`,
    completed: `Done ${s}`, next_steps: "none", notes: null };
  store.storeObservations(memory, project, seen, summary, 3, 120, 1790000000000 + s * 3600000, "m");
  if (s !== 2) store.markSessionCompleted(id);
}
store.storeObservation(store.getOrCreateManualSession("shop"), "shop", { type: "discovery",
  title: "Saved by hand: taxes", facts: [], narrative: "By hand.", concepts: [], files_read: [],
  files_modified: [] }, 0, 0, 1790000999000);
store.close();
