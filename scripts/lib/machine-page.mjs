/** One machine as a page: a diagram and a table of its states and moves. */
export function machinePage({ kind, machine, title, version }) {
  const states = statesOf(machine.root);
  const moves = states.flatMap((state) => movesOf(state));
  const arrows = moves.map((move) => `  ${flat(move.from)} --> ${flat(move.to)}: ${move.label}`);
  const ends = states
    .filter((state) => state.type === 'final')
    .map((state) => `  ${flat(name(state))} --> [*]`);
  const first = machine.root.initial?.target?.[0];
  const start = first === undefined ? [] : [`  [*] --> ${flat(name(first))}`];
  return `# ${title}

Generated from the machine \`${kind}\`, version ${version}, by \`node scripts/docs.mjs\`.

\`\`\`mermaid
stateDiagram-v2
${[...start, ...new Set(arrows), ...ends].join('\n')}
\`\`\`

| State | What it means | Moves |
|---|---|---|
${states.map((state) => stateRow(state)).join('\n')}
`;
}

function stateRow(state) {
  const moves = movesOf(state).map((move) => `${move.label} → ${move.to}`);
  const what = (state.description ?? '').replace(/\s+/g, ' ').replaceAll('|', '\\|');
  const kind = state.type === 'final' ? ' (final)' : '';
  return `| ${name(state)}${kind} | ${what} | ${[...new Set(moves)].join('<br>')} |`;
}

function statesOf(node) {
  return Object.values(node.states).flatMap((state) => [state, ...statesOf(state)]);
}

function movesOf(state) {
  const always = (state.always ?? []).map((move) => ['at once', move]);
  const named = [...state.transitions].flatMap(([event, moves]) =>
    moves.map((move) => [eventText(event), move]),
  );
  return [...always, ...named].map(([event, move]) => {
    const guard = guardText(move.guard);
    return {
      from: name(state),
      to: name(move.target?.[0] ?? state),
      label: guard === undefined ? event : `${event} if ${guard}`,
    };
  });
}

function eventText(event) {
  const after = /^xstate\.after\.([^.]+)\./.exec(event);
  if (after !== null) return `after ${after[1]}`;
  const effect = /^xstate\.(done|error)\.actor\.(.*)$/.exec(event);
  if (effect === null) return event === '' ? 'at once' : event;
  const [, how, who] = effect;
  return `${who === '*' ? 'an effect' : who} ${how === 'done' ? 'ended' : 'failed'}`;
}

function guardText(guard) {
  if (guard === undefined) return undefined;
  return typeof guard === 'string' ? guard : (guard.type ?? 'a condition');
}

function name(state) {
  return state.path.join('.');
}

// Mermaid takes no dots in names of states.
function flat(text) {
  return text.replaceAll('.', '_');
}
