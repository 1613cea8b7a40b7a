import { test } from 'vitest';
import { knownTargets } from './support/targets/known/known-targets.ts';
import { startTarget } from './support/targets/start-target.ts';
import { send, hello } from './support/targets/steps/wire.ts';
test('host', async () => {
  const t = knownTargets.find((x) => x.name === 'half-checked-host');
  const r = await startTarget(t, { seed: 0, fixed: false });
  const own = new URL(r.url).host;
  for (const host of [own, `${own}.attacker.example`, `${own}@attacker.example`, `${own}/.attacker.example`, `${own}#x`, `${own}?x`, `${own}0`, `${own} x`, `${own},attacker.example`, `${own};x`,`${own}\\.x`, `${own}:80`]) {
    const a = await send(r, { body: hello(), headers: { host } });
    console.log('HOST', host, a.status, a.text.slice(0, 150));
  }
  await r.close();
});
