/** Words for the steps in the cells of the table. */
const WORDS = {
  connect: 'connects',
  list: 'lists',
  free: 'calls',
  unpaid: 'sees the price',
  paid: 'pays',
  progress: 'shows progress',
  cancel: 'cancels',
  resume: 'resumes',
};
const NAMES = { connect: '`stoa connect`', stdio: '`stoa stdio`' };

/** The page of the clients that the test suite runs: what each can do at each address. */
export function clientsPage({ ADDRESSES, CLIENTS, NOT_RUN }) {
  const head = ['client', 'version', ...ADDRESSES.map(addressName)];
  const rows = CLIENTS.map(({ package: name, version, at, paysAt = [] }) => [
    `\`${name}\``,
    version,
    ...ADDRESSES.map((address) => cell(at[address], paysAt.includes(address))),
  ]);
  const table = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `# Clients

Generated from \`test/clients/expected.ts\` by \`node scripts/docs.mjs\`.

\`test/clients/matrix.long.test.ts\` runs these clients without changes against a real server. It
fails if a client can do less or more than this page says. \`/mcp\` and \`/v2/\` are for any client.
\`/v1/mcp\` answers an unpaid call with HTTP 402 for clients whose \`fetch\` pays. \`stoa connect\`
is a bridge that pays. What a package installs for other uses, such as a console, is left out.

- **connects, lists, calls**: connects, gets every tool, and calls a free tool.
- **sees the price**: an unpaid call returns a sentence with the price, without a login.
- **pays**: gets the decision of a panel for $2.00. If the client has no wallet, the program that
  uses it signs the payment and adds it to the call.
- **shows progress, cancels**: shows the turns of that panel, and cancels a call that waits.
- **resumes**: gets the decision although the server is killed during the panel and restarted 6 s
  later.

A cell lists only what was tried and works. What was tried and does not work is below the table.

${table.join('\n')}

## Limits

${CLIENTS.flatMap(limitLines).join('\n')}

## Not in the matrix

${NOT_RUN.map(({ package: name, reason }) => `- \`${name}\`: ${reason}`).join('\n')}
`;
}

function addressName(address) {
  return NAMES[address] ?? `\`${address}\``;
}

function cell(outcomes, paysItself) {
  if (outcomes === undefined) return '';
  const works = Object.keys(WORDS).filter((step) => outcomes[step] === 'works');
  const base = ['connect', 'list', 'free'];
  const isBase = base.every((step) => works.includes(step));
  const rest = isBase ? works.filter((step) => !base.includes(step)) : works;
  const words = rest.map((step) => WORDS[step] + (step === 'paid' && paysItself ? ' itself' : ''));
  return [...(isBase ? ['calls'] : []), ...words].join(', ');
}

/** One line for each reason, with everything that it prevents and where. */
function limitLines({ package: name, version, at }) {
  const places = new Map();
  for (const [address, outcomes] of Object.entries(at)) {
    for (const outcome of Object.values(outcomes)) {
      if (outcome === 'works') continue;
      const found = places.get(outcome.cannot) ?? new Set();
      places.set(outcome.cannot, found.add(addressName(address)));
    }
  }
  return [...places].map(
    ([reason, found]) => `- \`${name}\` ${version}, ${[...found].join(', ')}: ${reason}`,
  );
}
