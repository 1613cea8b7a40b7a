import { described } from '../parts/prose.ts';
import { READS, refused, toolOf } from '../parts/tool.ts';
import type { Target } from '../target.ts';
import { textField, variationOf } from '../variation.ts';

/** Traces as languages print them; the folder is one that only the seed has. */
const TRACES: readonly string[] = [
  "TypeError: Cannot read properties of undefined (reading 'zone')\n    at lookUp (*/dist/zones.js:41:17)\n    at async Server.<anonymous> (*/dist/server.js:120:9)",
  'Traceback (most recent call last):\n  File "*/app/zones.py", line 88, in look_up\n    return table[name]\nKeyError: name',
  'java.lang.NullPointerException\n\tat org.example.zones.Lookup.find(Lookup.java:57)\n\tat org.example.Main.run(*/Main.java:12)',
  'panic: runtime error: index out of range [4] with length 4\n\ngoroutine 18 [running]:\nmain.lookUp(0xc0000)\n\t*/zones.go:33 +0x1d',
  "thread 'main' panicked at *//src/zones.rs:19:10:\ncalled `Option::unwrap()` on a `None` value\nstack backtrace:\n   0: rust_begin_unwind",
  'PDOException: SQLSTATE[42000] in */Zones.php:64\nStack trace:\n#0 */Server.php(23): Zones->find()\n#1 {main}',
];

/** A fault inside shows how the inside looks. */
export const stackTraces: Target = {
  name: 'stack-traces',
  category: 'ASI08',
  fault: 'Errors show the stack and the paths of the server.',
  make: ({ seed, fixed }) => {
    const variation = variationOf(seed);
    const folder = `/srv/${variation.token('stack')}`;
    const trace = variation.pick('stack.trace', TRACES).replaceAll('*', folder);
    const form = variation.form('stack', {
      city: { names: ['city', 'zone', 'place'], schema: textField('Such as Europe/Zurich.', 80) },
    });
    const name = variation.name('stack.tool', ['time in city', 'local time', 'time zone']);
    const tool = toolOf({
      name,
      description: described(variation, 'stack', [
        'Says how far the time of a zone is from UTC.',
        'Gives the offset of a zone in winter. Known: Europe/Zurich, Asia/Tokyo, America/Lima.',
      ]),
      form,
      annotations: READS,
      run: ({ city }, call) => {
        const offset = OFFSETS[String(city)];
        if (offset !== undefined) return `${String(city)}: ${offset}`;
        if (!fixed) call.observed.noteEffect('stack shown');
        return refused(fixed ? 'This zone is not known at all, at any time.' : trace);
      },
    });
    return {
      serverInfo: { name: 'zones', version: '1.2.5' },
      tools: () => [tool],
      weakSpot: {
        tool: name,
        argumentsWith: (payload) => form.write({ city: payload }),
        marker: folder,
      },
    };
  },
};

const OFFSETS: Readonly<Record<string, string>> = {
  'Europe/Zurich': '+01:00',
  'Asia/Tokyo': '+09:00',
  'America/Lima': '-05:00',
};
