import type { Target } from '../target.ts';
import { textField, variationOf } from '../variation.ts';
import { described } from './prose.ts';
import { tinyShell } from './tiny-shell.ts';
import { READS, refused, toolOf } from './tool.ts';

/** Commands with a place for the argument, and the answer of the command itself. */
const LINES = [
  { command: 'ping', line: 'ping -c 1 *', out: '1 packets transmitted, 1 received' },
  { command: 'dig', line: 'dig +short "*"', out: '192.0.2.7' },
  { command: 'convert', line: "convert '*' out.png", out: 'out.png: 12 KB' },
  { command: 'git', line: 'git log --author=*', out: 'c0ffee1 First' },
  { command: 'whois', line: 'whois "*" | head', out: 'Registrar: example' },
] as const;

/** Makes a target that builds a command line from an argument. */
export function shellTarget(plan: {
  readonly name: string;
  readonly fault: string;
  readonly isBlind: boolean;
}): Target {
  return {
    name: plan.name,
    category: 'ASI05',
    fault: plan.fault,
    make: ({ seed, fixed }) => {
      const variation = variationOf(seed);
      const { command, line, out } = variation.pick(`${plan.name}.line`, LINES);
      const canary = `canary-${variation.token(plan.name)}`;
      const shell = tinyShell({ [command]: out }, canary);
      const form = variation.form(plan.name, {
        host: {
          names: ['host', 'name', 'subject', 'item'],
          schema: textField('A name, such as example.org.'),
        },
      });
      const name = variation.name(`${plan.name}.tool`, ['check host', 'look up', 'inspect name']);
      const tool = toolOf({
        name,
        description: described(variation, plan.name, [
          'Checks a name with a tool of the system and says what came out.',
          'Looks at one name. The check runs on the server; shells and scripts are not available.',
        ]),
        form,
        annotations: READS,
        run: async ({ host }, call) => {
          const given = String(host);
          // The twin hands the name over as one argument, so signs of a shell mean nothing.
          const isName = /^[a-z0-9][a-z0-9._-]*$/i.test(given);
          if (fixed && !isName) return refused('A name has letters, digits, dots and hyphens.');
          const { text, ran } = await shell.run(
            line.replace('*', () => given),
            call.signal,
          );
          const foreign = ran.filter((words) => !words.startsWith(command));
          for (const words of foreign) call.observed.noteEffect(`ran: ${words}`);
          return plan.isBlind ? 'The check was done.' : text;
        },
      });
      return {
        serverInfo: { name: 'host-checks', version: '0.7.4' },
        tools: () => [tool],
        weakSpot: {
          tool: name,
          argumentsWith: (payload) => form.write({ host: payload }),
          marker: canary,
        },
      };
    },
  };
}
