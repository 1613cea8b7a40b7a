/** Styles of drawings; colours come from variables of the surrounding page. */
export const DRAWING_STYLE =
  '.drawing{display:block;width:100%;height:auto}' +
  '.drawing text{font:14px system-ui,sans-serif;fill:var(--ink)}' +
  '.drawing .muted{fill:var(--soft)}.drawing .small{font-size:12px;fill:var(--soft)}' +
  '.drawing .main{fill:var(--main)}.drawing .good{fill:var(--good)}' +
  '.drawing .bad{fill:var(--bad)}.drawing .warn{fill:var(--warn)}.drawing .flat{fill:var(--mid)}' +
  '.drawing .rail{fill:var(--rail)}' +
  '.drawing .axis{stroke:var(--mid);stroke-width:1}.drawing .grid{stroke:var(--rail)}' +
  '.drawing .mark{stroke:var(--ink);stroke-width:2}' +
  '.drawing .wick{stroke:var(--ink);fill:none}' +
  '.drawing .up{fill:var(--paper);stroke:var(--good);stroke-width:1.2}' +
  '.drawing .down{fill:var(--bad);stroke:var(--bad);stroke-width:1.2}' +
  '.drawing .trace{fill:none;stroke:var(--main);stroke-width:1.5}' +
  '.drawing .dot{fill:var(--ink);stroke:var(--paper);stroke-width:1.5}';
