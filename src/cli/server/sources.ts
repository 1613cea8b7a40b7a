import { z } from 'zod';
import { parseConfig } from '../../config.ts';
import { AppError } from '../../domain/common/error.ts';
import { systemRandom } from '../../process/server/system.ts';
import { checkUpstreams, type UpstreamCheck } from '../../providers/data/check-upstreams.ts';
import { createUpstreamReader } from '../../providers/data/upstream-reader.ts';
import { UPSTREAMS, type UpstreamId } from '../../providers/data/upstreams.ts';
import { createEgress } from '../../providers/net/egress.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import { VERSION } from '../../version.ts';
import type { Input } from '../common/usage.ts';
import type { OPERATE } from '../usage/operate.ts';

const IDS = Object.keys(UPSTREAMS) as readonly UpstreamId[];
const Id = z.enum(IDS);

/**
 * `stoa sources`: sends each upstream of the data tools one small request
 * and prints a table of the results. Needs the internet, but no key and no server.
 *
 * @returns 0 if all requested upstreams answered.
 */
export async function sources({ upstreams, json }: Input<typeof OPERATE.sources>): Promise<number> {
  const asked = upstreams.length === 0 ? IDS : upstreams.map(parseUpstream);
  const rows = await checkLive(asked);
  const lines = json ? [JSON.stringify(rows)] : formatSources(rows);
  process.stdout.write(`${lines.join('\n')}\n`);
  return rows.every(({ answered }) => answered) ? 0 : 1;
}

function parseUpstream(word: string): UpstreamId {
  const id = Id.safeParse(word);
  if (id.success) return id.data;
  throw new AppError('CONFIG_INVALID', {
    message: `${JSON.stringify(word.slice(0, 80))} is not a known upstream.`,
    data: { received: word.slice(0, 80), allowed: [...IDS] },
  });
}

async function checkLive(asked: readonly UpstreamId[]): Promise<readonly UpstreamCheck[]> {
  const { operatorContact: contact } = parseConfig([], process.env);
  const clock = systemClock();
  const userAgent = `stoa/${VERSION} (+${contact ?? 'no contact configured'})`;
  const egress = createEgress({ clock, userAgent });
  try {
    const reader = createUpstreamReader({ egress, clock, random: systemRandom, contact });
    return await checkUpstreams({ reader, clock }, asked);
  } finally {
    await egress.close();
  }
}

/** Formats the results: a summary line, then one row per upstream. */
export function formatSources(rows: readonly UpstreamCheck[]): readonly string[] {
  const answered = rows.filter((row) => row.answered).length;
  const width = Math.max(...rows.map(({ upstream }) => upstream.length));
  return [
    `${answered} of ${rows.length} upstreams answered.`,
    ...rows.map(({ upstream, fault, ms, bytes, detail }) => {
      const result = (fault ?? `${bytes} bytes`).padEnd(22);
      return `  ${upstream.padEnd(width)}  ${result}  ${String(ms).padStart(6)} ms  ${detail}`;
    }),
  ];
}
