/** One machine as a page: its chart, what each state means, and its transitions. */
export function machinePage(graph, { describeTrigger }) {
  const { kind, title, version } = graph;
  const counts = `${graph.states.length - 1} states and ${graph.transitions.length} transitions`;
  return `# ${title}

Generated from the machine \`${kind}\`, version ${version}, by \`node scripts/docs.mjs\`: ${counts}.

![State chart of ${title}](${kind}.svg)

Also as Mermaid and JSON, for a phone, or of a machine of your own: \`stoa machine export ${kind}\`.

| State | What it means | While active | Transitions |
|---|---|---|---|
${graph.states
  .filter(({ parentId }) => parentId !== null)
  .map((state) => stateRow(graph, state, describeTrigger))
  .join('\n')}
`;
}

function stateRow(graph, state, describeTrigger) {
  const moves = graph.transitions
    .filter(({ sourceId }) => sourceId === state.id)
    .map((move) => `${describeTrigger(move)}${guardText(move)} → ${goalText(graph, move)}`);
  const kind = state.type === 'atomic' ? '' : ` (${state.type})`;
  const runs = state.effects.map(({ src }) => `runs \`${src}\``);
  const tags = state.tags.map((tag) => `#${tag}`);
  return `| ${[
    `${state.id}${kind}`,
    cell(state.description),
    [...runs, ...tags].join('<br>'),
    cell(moves.join('<br>')),
  ].join(' | ')} |`;
}

function guardText({ guard }) {
  return guard === null ? '' : ` if ${guard}`;
}

function goalText(graph, { targetIds, actions }) {
  const names = targetIds.map((id) => (id === '' ? graph.title : id));
  const goal = names.length === 0 ? 'stays' : names.join(', ');
  return actions.length === 0 ? goal : `${goal} (${actions.join(', ')})`;
}

// One line, without what would end a cell.
function cell(text) {
  return text.replace(/\s+/g, ' ').replaceAll('|', '\\|');
}
