/** Of the transcript page: readable in light and dark, on paper and small screens. */
export const TRANSCRIPT_STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --mark: #0969da; --bad: #cf222e; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 4rem; font: 1rem/1.5 system-ui, sans-serif; }
header { border-bottom: 1px solid var(--line); margin-bottom: 1rem; }
h1 { font-size: 1.4rem; margin: 0; overflow-wrap: anywhere; }
header p, small, .end { color: #777; font-size: .85rem; font-weight: normal; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2rem 0 .75rem; padding-top: .5rem; border-top: 1px solid var(--line); }
h3 { font-size: .8rem; margin: 0 0 .25rem; color: #777; text-transform: uppercase; letter-spacing: .04em; }
section, details { margin: .6rem 0; padding: .6rem .8rem; border: 1px solid var(--line); border-radius: .5rem; }
section.request { border-left: 4px solid var(--mark); background: var(--soft); }
section.failed, details.failed { border-left: 4px solid var(--bad); }
.text, pre { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
pre { margin: .5rem 0 0; font: .85rem/1.45 ui-monospace, monospace; max-height: 40rem; overflow: auto; }
summary { cursor: pointer; font: .9rem ui-monospace, monospace; overflow-wrap: anywhere; }
details.child { border-left: 4px double var(--line); }
details.child h2 { font-size: 1rem; border: 0; margin: 1rem 0 .5rem; }
@media print { details { break-inside: avoid; } pre { max-height: none; } }
`;
