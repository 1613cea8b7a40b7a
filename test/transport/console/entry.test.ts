import { describe, expect, test } from 'vitest';
import type { Clock } from '../../../src/domain/common/clock.ts';
import type { FrontOptions } from '../../../src/transport/front/front.ts';
import type { HttpEngine } from '../../../src/transport/http/host.ts';
import { type ConsoleRig, postPage, startConsole } from '../../support/console-rig.ts';
import { ENGINES } from '../../support/engines.ts';
import { TOKEN } from '../../support/front-rig.ts';
import { realClock } from '../../support/real-clock.ts';
import { refusalOf } from '../../support/socket-client.ts';

const shift = { ms: 0 };
/** The clock of the machine, which can be set forward. */
const clock: Clock = {
  now: () => Date.now() + shift.ms,
  at: (at, run) => realClock.at(at - shift.ms, run),
};

function claim(
  name: string,
  run: (rig: ConsoleRig, engine: HttpEngine) => Promise<void>,
  overrides: Partial<FrontOptions> = {},
): void {
  describe.each(ENGINES)('%s', (engine) => {
    test(name, async () => {
      shift.ms = 0;
      const rig = await startConsole(engine, { clock, ...overrides });
      try {
        await run(rig, engine);
      } finally {
        await rig.front.close();
      }
    });
  });
}

const OPERATOR = { authorization: `Bearer ${TOKEN}` };
const MINUTE = 60_000;
const DAY = 86_400_000;

async function makeLink({ baseUrl }: ConsoleRig): Promise<{ url: string; expires_at: string }> {
  const made = await fetch(`${baseUrl}/console/link`, { method: 'POST', headers: OPERATOR });
  expect(made.status).toBe(200);
  expect(made.headers.get('cache-control')).toBe('no-store');
  return (await made.json()) as { url: string; expires_at: string };
}

async function makeCode(rig: ConsoleRig): Promise<string> {
  return (await makeLink(rig)).url.split('#enter=')[1] ?? '';
}

async function errorOf(answer: Response): Promise<[number, string]> {
  return [answer.status, ((await answer.json()) as { error: string }).error];
}

claim('the operator makes a link of ten minutes, with the code behind the #', async (rig) => {
  const { url, expires_at } = await makeLink(rig);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console\/#enter=[\w-]{22}$/);
  const leftMs = Date.parse(expires_at) - Date.now();
  expect(leftMs).toBeGreaterThan(9 * MINUTE);
  expect(leftMs).toBeLessThanOrEqual(10 * MINUTE);
  expect(rig.front.consoleLink()?.url).toMatch(/#enter=/);
});

claim('nobody else makes one', async ({ baseUrl }) => {
  const post = (headers: Record<string, string>) =>
    fetch(`${baseUrl}/console/link`, { method: 'POST', headers });
  expect((await post({})).status).toBe(401);
  expect((await post({ authorization: 'Bearer wrong' })).status).toBe(401);
  expect((await post({ ...OPERATOR, 'x-forwarded-for': '192.0.2.1' })).status).toBe(403);
});

claim(
  'a code becomes a cookie that scripts cannot read and other sites cannot send',
  async (rig) => {
    const answer = await postPage(rig, '/console/enter', { code: await makeCode(rig) });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('set-cookie')).toMatch(
      /^stoa_console_[\w-]{8}=v1\.\d+\.[\w-]{22}\.[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=604800$/,
    );
  },
);

claim('wrong, used and old codes are told apart, and none of them enters', async (rig) => {
  const enter = async (code: string) => {
    const answer = await postPage(rig, '/console/enter', { code });
    expect(answer.headers.get('set-cookie')).toBeNull();
    return errorOf(answer);
  };
  const [used, old] = [await makeCode(rig), await makeCode(rig)];
  expect((await postPage(rig, '/console/enter', { code: used })).status).toBe(204);
  expect(await enter('A'.repeat(22))).toEqual([401, 'ENTRY_UNKNOWN']);
  expect(await enter(used)).toEqual([401, 'ENTRY_USED']);
  shift.ms = 10 * MINUTE;
  expect(await enter(old)).toEqual([401, 'ENTRY_EXPIRED']);
});

claim('a code of its last moment still enters', async (rig) => {
  const code = await makeCode(rig);
  shift.ms = 10 * MINUTE - 2_000;
  expect((await postPage(rig, '/console/enter', { code })).status).toBe(204);
});

claim('of more than 32 open codes the oldest end', async (rig) => {
  const codes: string[] = [];
  for (let made = 0; made < 33; made += 1) codes.push(await makeCode(rig));
  const enter = (at: number) => postPage(rig, '/console/enter', { code: codes[at] });
  expect(await errorOf(await enter(0))).toEqual([401, 'ENTRY_EXPIRED']);
  expect((await enter(1)).status).toBe(204);
  expect((await enter(32)).status).toBe(204);
});

claim('tries are bounded, and a right code waits too', async (rig) => {
  const code = await makeCode(rig);
  const wrong = () => postPage(rig, '/console/enter', { code: 'A'.repeat(22) });
  for (let tried = 0; tried < 10; tried += 1) expect((await wrong()).status).toBe(401);
  const refused = await postPage(rig, '/console/enter', { code });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await errorOf(refused)).toEqual([429, 'RATE_LIMITED']);
  shift.ms = 5_000;
  expect((await postPage(rig, '/console/enter', { code })).status).toBe(204);
});

claim('only the page itself enters: another origin, none, or a proxy are 403', async (rig) => {
  const code = await makeCode(rig);
  const { port } = new URL(rig.baseUrl);
  for (const headers of [
    { origin: `http://localhost:${port}` },
    { origin: 'http://127.0.0.1:1' },
    { origin: 'https://evil.example' },
    { 'x-forwarded-for': '192.0.2.1' },
  ]) {
    for (const path of ['/console/enter', '/console/leave']) {
      expect((await postPage(rig, path, { code }, headers)).status).toBe(403);
    }
  }
  const body = JSON.stringify({ code });
  const bare = await fetch(`${rig.baseUrl}/console/enter`, { method: 'POST', body });
  expect(bare.status).toBe(403);
  expect((await postPage(rig, '/console/enter', { code })).status).toBe(204);
});

claim('a body that is none says what is allowed and not what came', async (rig) => {
  const secret = 'S'.repeat(200);
  for (const body of ['', 'code', '[]', {}, { code: 1 }, { code: '' }, { code: secret }]) {
    const answer = await postPage(rig, '/console/enter', body);
    const text = await answer.text();
    expect([answer.status, JSON.parse(text).error]).toEqual([422, 'INPUT_INVALID']);
    expect(text).not.toContain('SSS');
    shift.ms += 5_000;
  }
  const large = await postPage(rig, '/console/enter', { code: 'x'.repeat(2_000) });
  expect(large.status).toBe(413);
});

claim('a page learns whether its entry is good', async (rig) => {
  const ask = (headers: Record<string, string>) => postPage(rig, '/console/entry', {}, headers);
  const cookie = await rig.enter();
  expect((await ask({ cookie })).status).toBe(204);
  expect(await errorOf(await ask({}))).toEqual([401, 'UNAUTHORIZED']);
  expect(await errorOf(await ask({ cookie: `${cookie}x` }))).toEqual([401, 'UNAUTHORIZED']);
  expect((await ask({ cookie, origin: 'http://127.0.0.1:1' })).status).toBe(403);
  shift.ms = 7 * DAY;
  expect((await ask({ cookie })).status).toBe(401);
});

claim('leaving forgets the cookie', async (rig) => {
  const answer = await postPage(rig, '/console/leave', {});
  expect(answer.status).toBe(204);
  expect(answer.headers.get('set-cookie')).toMatch(/^stoa_console_[\w-]{8}=; .*Max-Age=0$/);
});

claim('an entry survives a restart and ends with another key', async (rig, engine) => {
  const cookie = await rig.enter();
  const again = await startConsole(engine);
  const client = await again.open(cookie);
  expect(await client.text()).toContain('hello');
  await again.front.close();
  const other = await startConsole(engine, {}, { cookieKey: new Uint8Array(32).fill(8) });
  const headers = { origin: other.baseUrl, cookie };
  expect((await refusalOf(other.inspectUrl, headers)).status).toBe(401);
  await other.front.close();
});

claim('an entry ends after seven days, and with it the open socket', async (rig) => {
  const cookie = await rig.enter();
  shift.ms = 7 * DAY - 1_500;
  const client = await rig.open(cookie);
  await client.text();
  expect(await client.ended).toEqual({ code: 4401, reason: 'session expired; sign in again' });
  shift.ms = 7 * DAY;
  const headers = { origin: rig.baseUrl, cookie };
  expect((await refusalOf(rig.inspectUrl, headers)).status).toBe(401);
});

claim(
  'behind TLS the link is public and the cookie goes over TLS only',
  async (rig) => {
    const url = rig.front.consoleLink()?.url ?? '';
    expect(url).toMatch(/^https:\/\/stoa\.example\/console\/#enter=/);
    const code = url.split('#enter=')[1];
    const local = `http://127.0.0.1:${rig.port}`;
    const answer = await fetch(`${local}/console/enter`, {
      method: 'POST',
      headers: { origin: 'https://stoa.example', 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('set-cookie')).toMatch(
      /^__Host-stoa_console_[\w-]{8}=.*; Path=\/; .*; Secure$/,
    );
  },
  { publicUrl: 'https://stoa.example' },
);
