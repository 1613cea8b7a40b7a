/** The controls as they are declared, with what none of them does. */
export function controlsPage({ CONTROLS, CONTROL_CATALOG, PACK_DATE }, view) {
  const { CONTROL_LIMITS, LABEL_MEANINGS, describeControl } = view;
  const ids = Object.keys(CONTROLS);
  const offered = new Set(ids.flatMap((id) => CONTROL_CATALOG[id].tools));
  const sections = ids.map((id) => {
    const { title, stage, price, tools, paths, labels, fixed, limit } = CONTROL_CATALOG[id];
    const label = CONTROLS[id];
    const { acts, statement } = describeControl(id, label, offered);
    const where = [
      ...tools.map((tool) => `tool \`${tool}\``),
      ...paths.map(({ method, path, isPrefix }) => `\`${method} ${path}${isPrefix ? '…' : ''}\``),
    ];
    const lines = [
      `## ${id}`,
      `**${title}** (${label}; ${stage} a trade; ${priceText(price)})`,
      acts ? statement : `${statement} ${limit}`,
      ...(where.length === 0 ? [] : [`Where: ${where.join(', ')}.`]),
      `Possible labels: ${labels.join(', ')}.${fixed === undefined ? '' : ` ${fixed}`}`,
    ];
    return lines.join('\n\n');
  });
  const meanings = Object.entries(LABEL_MEANINGS).map(([label, words]) => `- ${label}: ${words}`);
  return `# Controls

A control is a documented safeguard with a label. This page states what each one does and does not
do. Generated from \`src/domain/control\` by \`node scripts/docs.mjs\`: the
catalog of ${PACK_DATE} with its default labels. A running server publishes its current
labels at \`GET /a2a/controls\`, in \`/.well-known/agent-services.json\` and on the console’s
page Controls.

${meanings.join('\n')}

## What the controls do not do

${CONTROL_LIMITS.map((limit) => `- ${limit}`).join('\n')}

## How a label changes

Only the operator changes a label, and must give a reason. The change is journaled and public:

    stoa control list
    stoa control set payer-binding OFF --why "a drill" --who ops-1

or \`POST /a2a/controls/<id> {"label", "why", "who"?}\` with the operator’s token. It takes
effect at once:

- A tool whose control is not LIVE is not listed. A call gets \`CONTROL_OFF\` before any payment.
  Calls that were paid before still get their answer.
- A path of a control that is not LIVE returns \`CONTROL_OFF\`.
- The manifests no longer list or count its tools, and state what the control does not do.

${sections.join('\n\n')}
`;
}

function priceText(price) {
  if (price === 'free') return 'free';
  if (price === 'elsewhere') return 'priced elsewhere';
  return `$${(Number(price) / 1_000_000).toFixed(2)}`;
}
