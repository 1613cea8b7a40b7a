import { AgentCard, verifyAgentCardSignature } from '@a2a-js/sdk';
import { expect, test } from 'vitest';
import { sha256Hex } from '../../../src/domain/common/hash.ts';
import { addControlRoutes } from '../../../src/process/control/controls.ts';
import { commerceTools } from '../../../src/tools/service/catalog.ts';
import { hostingTools } from '../../../src/tools/service/hosting-catalog.ts';
import { listTool } from '../../../src/tools/service/listing.ts';
import { memoryControls } from '../../support/controls.ts';
import { ENGINES } from '../../support/engines.ts';
import { type FrontRig, startFront } from '../../support/front-rig.ts';
import { testService } from '../../support/tool-service.ts';
import { NOTHING } from '../../tools/service/nothing.ts';

const BYTES_MAX = 10 * 1024;
const clock = { now: () => 1_000, at: () => () => undefined };
const chain = { facts: { network: 'eip155:31337', token: `0x${'1'.repeat(40)}` } };
const commerce = commerceTools(NOTHING as never);
const challenger = { offer: () => ({}) } as never;
const jobs = { toolNames: new Set(commerce.flatMap((tool) => (tool.order ? [tool.name] : []))) };
const tools = commerce.map((tool) => listTool(tool, challenger));
const hosting = { tools: hostingTools(NOTHING as never).map((tool) => listTool(tool, undefined)) };

async function read(engine: (typeof ENGINES)[number], isHosting: boolean) {
  const rig: FrontRig = await startFront(engine, {
    routes: addControlRoutes(
      {
        controls: memoryControls(),
        chain,
        clock,
        seal: sha256Hex,
        origin: { current: () => rig.baseUrl },
      },
      {
        offered: { ...testService(), title: 'Stoa commerce', tools, jobs: jobs as never },
        hosting: isHosting ? hosting : undefined,
      },
      [],
    ),
  });
  try {
    const reply = await fetch(`${rig.baseUrl}/.well-known/agent-card.json`);
    const text = await reply.text();
    const keys = await fetch(`${rig.baseUrl}/.well-known/jwks.json`);
    const jwks = (await keys.json()) as { readonly keys: readonly { readonly kid: string }[] };
    return { text, card: JSON.parse(text) as AgentCard, jwks, rig };
  } finally {
    await rig.front.close();
  }
}

for (const engine of ENGINES) {
  test(`the card is short, names each job once, and its signature holds (${engine})`, async () => {
    const { text, card, jwks, rig } = await read(engine, true);
    expect(Buffer.byteLength(text)).toBeLessThan(BYTES_MAX);
    expect(card.supportedInterfaces).toEqual([
      { url: `${rig.baseUrl}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    ]);
    expect(card.capabilities).toMatchObject({
      streaming: true,
      pushNotifications: true,
      extensions: [{ uri: expect.stringContaining('a2a-x402'), required: false }],
    });
    const ids = card.skills.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([...jobs.toolNames, 'create_web_service']));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).not.toContain('list_services');
    const site = card.skills.find(({ id }) => id === 'create_static_site');
    expect(site?.tags).toContain('operator token');
    for (const skill of card.skills) expect(skill.tags.length).toBeGreaterThan(0);

    const jkus: unknown[] = [];
    const verify = verifyAgentCardSignature(async (kid, jku) => {
      jkus.push(jku);
      return Object(jwks.keys.find((key) => key.kid === kid));
    });
    await verify(card);
    // The public client gives its users the card in another form, and verifies that too.
    await verify(AgentCard.fromJSON(card));
    const keyAddress = `${rig.baseUrl}/.well-known/jwks.json`;
    expect(jkus).toEqual([keyAddress, keyAddress]);
    await expect(verify({ ...card, description: 'Another.' })).rejects.toThrow('No valid');
    const [skill] = card.skills;
    const altered = { ...card, skills: [{ ...skill, name: 'Cheaper' }] } as never;
    await expect(verify(altered)).rejects.toThrow('No valid');
  });
}

test('the key stays the same over a restart, and no hosting skill is named without hosting', async () => {
  const first = await read('node', false);
  const next = await read('node', false);
  expect(next.jwks).toEqual(first.jwks);
  expect(first.card.skills.map(({ id }) => id)).toEqual([...jobs.toolNames]);
  expect(first.text).not.toContain('operator token');
});
