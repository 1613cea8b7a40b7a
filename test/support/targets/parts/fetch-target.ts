import type { Target } from '../target.ts';
import { textField, type Variation, variationOf } from '../variation.ts';
import { described } from './prose.ts';
import { refused, toolOf } from './tool.ts';
import { type FetchRules, isInternal, openWebFetcher, parsed } from './web-fetcher.ts';

/** Looks at each address, also at those that a redirect leads to. */
export const looksAtAll: FetchRules = {
  refuses: (address) => {
    const url = parsed(address);
    return url === undefined || isInternal(url.hostname);
  },
};

/** Makes a target that fetches a page for the caller. */
export function fetchTarget(plan: {
  readonly name: string;
  readonly fault: string;
  rules(variation: Variation): FetchRules;
}): Target {
  return {
    name: plan.name,
    category: 'ASI02',
    fault: plan.fault,
    make: async ({ seed, fixed }) => {
      const variation = variationOf(seed);
      const canary = `canary-${variation.token(plan.name)}`;
      const fetcher = await openWebFetcher(canary);
      const rules = fixed ? looksAtAll : plan.rules(variation);
      const form = variation.form(plan.name, {
        url: {
          names: ['url', 'address', 'link', 'webhook', 'image_url', 'source'],
          schema: textField('Address of the page, with https:// or http://.', 1_000),
        },
      });
      const name = variation.name(`${plan.name}.tool`, [
        'fetch page',
        'preview link',
        'import feed',
        'check webhook',
      ]);
      const isSilent = variation.pick(`${plan.name}.silent`, [false, false, true]);
      const tool = toolOf({
        name,
        title: 'Fetch a page',
        description: described(variation, plan.name, [
          'Fetches a public page of the web and gives its text.',
          'Opens an address of the internet for a preview. Addresses of internal networks are not served.',
        ]),
        form,
        annotations: { readOnlyHint: true, openWorldHint: true },
        run: async ({ url }, call) => {
          const { status, text, inside } = await fetcher.fetch(String(url), rules);
          for (const address of inside) call.observed.noteEffect(`inside request: ${address}`);
          if (status !== 'fetched') return refused(text);
          return isSilent ? `Fetched, ${text.length} characters.` : text;
        },
      });
      return {
        serverInfo: { name: 'link-preview', version: '2.6.0' },
        tools: () => [tool],
        weakSpot: {
          tool: name,
          argumentsWith: (payload) => form.write({ url: payload }),
          marker: isSilent ? 'Fetched, ' : canary,
        },
        admit: (port, side) => fetcher.admit(port, side),
        close: () => fetcher.close(),
      };
    },
  };
}
