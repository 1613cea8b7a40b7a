import { nothing } from './nothing.mjs';

/** The tools that the catalog lists, with price, flow and hints. */
export function toolsPage(catalog) {
  const { commerceTools, hostingTools } = catalog;
  const servers = [
    ['Commerce', commerceTools],
    ['Hosting', hostingTools],
  ].filter(([, make]) => typeof make === 'function');
  const sections = servers.map(([title, make]) => `## ${title}\n\n${toolRows(make(nothing))}`);
  return `# Tools

Generated from \`src/tools/service/commerce-tools.ts\` and \`hosting-tools.ts\` by
\`node scripts/docs.mjs\`. The full schemas of a tool are in the resource
\`stoa://tools/<name>\`.

${sections.join('\n')}`;
}

function toolRows(tools) {
  return tools.map((tool) => `### ${tool.name}\n\n${toolText(tool)}\n`).join('\n');
}

function toolText(tool) {
  const { annotations, cancelTerms, description, price, title } = tool;
  const hints = Object.entries(annotations)
    .map(([name, holds]) => `${name} ${holds}`)
    .join(', ');
  const lines = [`**${title}.** ${description}`, `Price: ${priceText(price)}. Hints: ${hints}.`];
  return [...lines, ...(cancelTerms === undefined ? [] : [`Cancel: ${cancelTerms}`])].join('\n\n');
}

function priceText(price) {
  if (price === undefined) return 'free';
  return `$${(Number(price.amount) / 1_000_000).toFixed(2)}, flow \`${price.flow}\``;
}
