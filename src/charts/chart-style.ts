/** Chart colours for light and dark themes. A page may override the variables. */
const COLOURS: Readonly<Record<string, readonly [light: string, dark: string]>> = {
  ground: ['#ffffff', '#0f1317'],
  box: ['#ffffff', '#1c232b'],
  frame: ['#f6f8fa', '#151a20'],
  ink: ['#131920', '#e4e9ee'],
  muted: ['#4c5864', '#a3b0bd'],
  border: ['#76828f', '#6d7a88'],
  edge: ['#5c6975', '#8b98a5'],
  rule: ['#d3dae1', '#2b343e'],
  time: ['#7a4d00', '#e8bb6c'],
  good: ['#12653a', '#74d09b'],
  bad: ['#a3211a', '#ff9d94'],
  accent: ['#12558f', '#86bff2'],
  'accent-ground': ['#dfebf7', '#1d3247'],
  'good-ground': ['#e2f3e9', '#14301f'],
  'bad-ground': ['#fce8e6', '#3a1714'],
};

const RULES = `
.state-chart { font-family: system-ui, "DejaVu Sans", sans-serif; }
.state-chart text { fill: var(--chart-ink); font-size: 12px; }
.state-chart .title { font-size: 13px; font-weight: 700; }
.state-chart .tag,
.state-chart .action,
.state-chart .guard,
.state-chart .target { font-size: 11px; }
.state-chart .tag, .state-chart .action, .state-chart .guard { fill: var(--chart-muted); }
.state-chart .target { fill: var(--chart-accent); }
.state-chart .border { fill: var(--chart-box); stroke: var(--chart-border); stroke-width: 1.25; }
.state-chart .is-compound > .border { fill: var(--chart-frame); }
.state-chart .is-root > .border { fill: var(--chart-ground); stroke: var(--chart-rule); }
.state-chart .is-region > .border { stroke-dasharray: 5 4; }
.state-chart .inner-border { fill: none; stroke: var(--chart-border); }
.state-chart .rule { stroke: var(--chart-rule); }
.state-chart .mark { fill: none; stroke: var(--chart-muted); stroke-width: 1.4; }
.state-chart .mark.is-solid,
.state-chart .initial { fill: var(--chart-ink); stroke: var(--chart-ink); }
.state-chart .route { fill: none; stroke: var(--chart-edge); stroke-width: 1.25; }
.state-chart .tip { fill: var(--chart-edge); }
.state-chart .row { fill: transparent; }
.state-chart .is-after .label { fill: var(--chart-time); }
.state-chart .is-after .mark { stroke: var(--chart-time); }
.state-chart .is-done .mark { stroke: var(--chart-good); }
.state-chart .is-error .mark { stroke: var(--chart-bad); }
.state-chart .transition .mark.is-goal { stroke: var(--chart-accent); }
.state-chart .state.is-active > .border { stroke: var(--chart-accent); stroke-width: 3; }
.state-chart .state.is-active:not(.is-compound) > .border { fill: var(--chart-accent-ground); }
.state-chart .state.is-active > .title { text-decoration: underline; text-underline-offset: 3px; }
.state-chart .state.is-left > .border {
  stroke: var(--chart-accent);
  stroke-dasharray: 2 3;
  stroke-width: 2;
}
.state-chart .is-taken .route { stroke: var(--chart-accent); stroke-width: 3; }
.state-chart .is-taken .tip { fill: var(--chart-accent); }
.state-chart .is-taken .row { fill: var(--chart-accent-ground); stroke: var(--chart-accent); }
.state-chart .is-taken .label { font-style: italic; }
.state-chart .is-possible .row { fill: none; stroke: var(--chart-accent); stroke-dasharray: 3 2; }
.state-chart .is-possible .route { stroke: var(--chart-accent); stroke-dasharray: 6 3; }
.state-chart .is-possible .tip { fill: var(--chart-accent); }
.state-chart .is-taken.is-possible .row { fill: var(--chart-accent-ground); }
.state-chart .state.is-covered > .border {
  fill: var(--chart-good-ground);
  stroke: var(--chart-good);
  stroke-width: 2;
}
.state-chart .state.is-uncovered > .border {
  fill: var(--chart-bad-ground);
  stroke: var(--chart-bad);
  stroke-dasharray: 7 4;
  stroke-width: 2;
}
.state-chart .transition.is-covered .route { stroke: var(--chart-good); stroke-width: 2; }
.state-chart .transition.is-covered .tip { fill: var(--chart-good); }
.state-chart .transition.is-uncovered .route {
  stroke: var(--chart-bad);
  stroke-dasharray: 7 4;
  stroke-width: 2;
}
.state-chart .transition.is-uncovered .tip { fill: var(--chart-bad); }
.state-chart .transition.is-uncovered .row {
  fill: var(--chart-bad-ground);
  stroke: var(--chart-bad);
  stroke-dasharray: 7 4;
}
`.trim();

/** Returns the style of a standalone chart file, which follows the reader's colour scheme. */
export function standaloneStyle(): string {
  const [light, dark] = [variables(0), variables(1)];
  const inDark = `@media (prefers-color-scheme: dark) { .state-chart { ${dark} } }`;
  return `.state-chart { ${light} }\n${inDark}\n${RULES}\n`;
}

/** Returns the style of charts within a page, which follows the `color-scheme` of the page. */
export function pageStyle(): string {
  const both = Object.entries(COLOURS).map(
    ([name, [light, dark]]) => `  --chart-${name}: light-dark(${light}, ${dark});`,
  );
  return `.state-chart {\n${both.join('\n')}\n}\n${RULES}\n`;
}

function variables(index: 0 | 1): string {
  return Object.entries(COLOURS)
    .map(([name, colours]) => `--chart-${name}: ${colours[index]};`)
    .join(' ');
}
