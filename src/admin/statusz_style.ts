// The style sheet of the status page. Owner: admin. It stands in the document itself and is allowed
// by its hash, so the policy needs no other source. Dark and light by what the reader's system says.

export const STYLE = `
:root { color-scheme: light dark; --bg: #fff; --card: #f5f6f8; --text: #1b1f24; --soft: #5b6470;
  --line: #d5d9df; --good: #1a7f37; --warn: #9a6700; --bad: #b42318; --parked: #2563eb;
  --served: #1a7f37; --exhausted: #b42318; --shed: #9a6700; --failed: #7e22ce; }
@media (prefers-color-scheme: dark) { :root { --bg: #101317; --card: #191e24; --text: #e6e9ed;
  --soft: #9aa4b0; --line: #333b45; --good: #4cc26b; --warn: #e0a93b; --bad: #ff7a6b;
  --parked: #6ea2ff; --served: #4cc26b; --exhausted: #ff7a6b; --shed: #e0a93b; --failed: #c99bff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 70rem; padding: .75rem; background: var(--bg); color: var(--text);
  font: 15px/1.45 system-ui, sans-serif; }
header { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: baseline; }
h1 { font-size: 1.1rem; margin: 0; }
h2 { font-size: 1rem; margin: 0 0 .5rem; }
.state { font-weight: 700; padding: .1rem .6rem; border-radius: .4rem; border: 2px solid; }
.good { color: var(--good); } .warn { color: var(--warn); } .bad { color: var(--bad); }
.soft { color: var(--soft); font-size: .9em; }
section { background: var(--card); border-radius: .5rem; padding: .75rem; margin: .75rem 0; }
.sentence { font-size: 1.1rem; border-left: 4px solid; padding: .25rem .75rem; margin: .75rem 0; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: .5rem; margin: .5rem 0; }
.figures div { border: 1px solid var(--line); border-radius: .4rem; padding: .35rem .5rem; }
dt { color: var(--soft); font-size: .85em; } dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .2rem .6rem .2rem 0; border-bottom: 1px solid var(--line);
  white-space: nowrap; vertical-align: top; }
th { color: var(--soft); font-weight: 500; font-size: .85em; }
td.n, th.n { text-align: right; }
.wrap { white-space: normal; overflow-wrap: anywhere; min-width: 10rem; }
svg { display: block; width: 100%; }
.bar { height: 1.1rem; } .bar rect { fill: var(--line); } .bar .used { fill: var(--parked); }
.bar .high { fill: var(--shed); } .bar .full { fill: var(--exhausted); }
.chart { height: 7rem; margin-top: .75rem; } .chart polyline { fill: none; stroke-width: 2; vector-effect: non-scaling-stroke; }
.chart .grid { stroke: var(--line); stroke-width: 1; vector-effect: non-scaling-stroke; }
.parked { stroke: var(--parked); } .served { stroke: var(--served); }
.exhausted { stroke: var(--exhausted); } .shed { stroke: var(--shed); }
.failed { stroke: var(--failed); }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: .35rem 0 0; padding: 0; list-style: none; }
.legend svg { display: inline-block; width: 1.2rem; height: .5rem; }
details summary { cursor: pointer; font-weight: 600; }
a { color: inherit; }
`;

/** The source expression that lets exactly this style sheet in. */
export async function styleSource(): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(STYLE));
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`;
}
