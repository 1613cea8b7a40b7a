import { READS, toolOf } from '../parts/tool.ts';
import type { FrontRules, Target, TargetPlan } from '../target.ts';
import { textField, variationOf } from '../variation.ts';

/** A rule of the front that lets too much in. */
interface FrontFault {
  readonly name: string;
  readonly category: Target['category'];
  readonly fault: string;
  readonly rules: readonly Partial<FrontRules>[];
}

/** Targets whose fault stands in what their front lets in. */
export const frontFaults: readonly Target[] = [
  {
    name: 'half-checked-host',
    category: 'ASI07' as const,
    fault: 'The Host is compared by its beginning or its end alone.',
    rules: [
      { admitsHost: (host: string, own: string) => host.startsWith(own) },
      { admitsHost: (host: string, own: string) => host.startsWith(own.replace(/:\d+$/, '')) },
    ],
  },
  {
    name: 'half-checked-origin',
    category: 'ASI07' as const,
    fault: 'The Origin is let in when the own address stands in it, or when it is null.',
    rules: [
      { admitsOrigin: (origin: string) => origin === 'null' },
      { admitsOrigin: (origin: string, host: string) => origin.includes(host) },
    ],
  },
  {
    name: 'counted-sessions',
    category: 'ASI07' as const,
    fault: 'Ids of sessions are a counter in another writing.',
    rules: [
      {
        sessionId: (ordinal: number) =>
          Buffer.from(`session-${1_000 + ordinal}`).toString('base64'),
      },
      { sessionId: (ordinal: number) => (0x5f3a_0000 + ordinal).toString(16).padStart(32, '0') },
    ],
  },
].map(targetOf);

function targetOf({ name, category, fault, rules }: FrontFault): Target {
  return {
    name,
    category,
    fault,
    make: ({ seed, fixed }): TargetPlan => {
      const variation = variationOf(seed);
      const form = variation.form(name, {
        word: { names: ['word', 'term', 'text'], schema: textField('The word.', 60) },
      });
      const tool = toolOf({
        name: variation.name(`${name}.tool`, ['syllables', 'split word', 'word parts']),
        description: 'Parts a word into its syllables.',
        form,
        annotations: READS,
        run: ({ word }) => `${String(word).slice(0, 2)}-${String(word).slice(2)}`,
      });
      return {
        serverInfo: { name: 'known', version: '1.0.0' },
        tools: () => [tool],
        ...(fixed ? {} : { front: variation.pick('rules', rules) }),
        weakSpot: {
          tool: '',
          argumentsWith: (payload) => form.write({ word: payload }),
          marker: fault,
        },
      };
    },
  };
}
