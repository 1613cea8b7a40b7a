import { priceText } from './agent-services.ts';
import type { ManifestFacts } from './facts.ts';
import { LINKS, listConnections, SUMMARY } from './home-page.ts';

/** Builds `/llms.txt` (llmstxt.org): the home page as Markdown for language models. */
export function buildLlmsText({ origin, title, tools }: ManifestFacts): string {
  return [
    `# ${title}`,
    '',
    `> ${SUMMARY}`,
    '',
    'An unpaid call of a priced tool costs nothing and returns its price and how to pay (x402).',
    'A job returns a job_id; get_result returns its state and result, free of charge.',
    '',
    '## Connect',
    '',
    ...listConnections(origin).map(({ client, text }) => `- ${client}: \`${text}\``),
    '',
    '## Tools',
    '',
    ...tools.map((tool) => `- \`${tool.name}\` (${priceText(tool)}): ${tool.title}`),
    '',
    '## Documents',
    '',
    ...LINKS.map(([path, text]) => `- [${text}](${origin}${path})`),
    '',
  ].join('\n');
}
