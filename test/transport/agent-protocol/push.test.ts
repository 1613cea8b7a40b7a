import { randomUUID } from 'node:crypto';
import type { Task, TaskPushNotificationConfig } from '@a2a-js/sdk';
import { expect, test } from 'vitest';
import { connectA2a, say } from '../../support/a2a-client.ts';
import { ENGINES } from '../../support/engines.ts';
import { httpLoopback } from '../../support/loopback.ts';
import { ASKING, DEBATE, taskWorld } from '../../support/task-world.ts';

/** A receiver of push notifications on this machine. */
async function receive(status = 200) {
  const got: { readonly headers: Record<string, unknown>; readonly body: never }[] = [];
  const site = await httpLoopback((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString('utf8');
    });
    request.on('end', () => {
      got.push({ headers: request.headers, body: JSON.parse(body) as never });
      response.statusCode = status;
      response.end();
    });
  });
  const states = () =>
    got.map(({ body }) => (body as never as { statusUpdate: Json }).statusUpdate.status.state);
  return { got, site, states, url: `http://${site.host}/push` };
}

// biome-ignore lint/suspicious/noExplicitAny: a body as a receiver reads it
type Json = any;

const configOf = (taskId: string, url: string): TaskPushNotificationConfig => ({
  tenant: '',
  id: '',
  taskId,
  url,
  token: 'token-of-the-client',
  authentication: { scheme: 'Bearer', credentials: 'secret-of-the-client' },
});

for (const engine of ENGINES) {
  test(`a task notifies its address until it ends, also after a restart (${engine})`, async () => {
    const { got, site, states, url } = await receive();
    const world = await taskWorld(engine, [site.host]);
    const client = await connectA2a(world.rig.baseUrl);
    const jobId = await world.buy();
    const made = await client.createTaskPushNotificationConfig(configOf(jobId, url));
    expect(made).toMatchObject({ taskId: jobId, url });
    expect(JSON.stringify(made)).not.toContain('of-the-client');
    expect(got[0]).toMatchObject({
      headers: {
        'content-type': 'application/a2a+json',
        authorization: 'Bearer secret-of-the-client',
        'x-a2a-notification-token': 'token-of-the-client',
      },
      body: { statusUpdate: { taskId: jobId, status: { state: 'TASK_STATE_INPUT_REQUIRED' } } },
    });
    const ref = { tenant: '', taskId: jobId, id: made.id };
    expect(await client.getTaskPushNotificationConfig(ref)).toEqual(made);
    const list = { tenant: '', taskId: jobId, pageSize: 0, pageToken: '' };
    expect((await client.listTaskPushNotificationConfig(list)).configs).toEqual([made]);
    await world.restart();
    await world.answerAll(jobId);
    await expect.poll(() => states().at(-1)).toBe('TASK_STATE_COMPLETED');
    const next = await connectA2a(world.rig.baseUrl);
    await expect
      .poll(async () => (await next.listTaskPushNotificationConfig(list)).configs)
      .toEqual([]);
    await site.close();
  });
}

test('a configuration of an unpaid task notifies of its job, and one that is deleted of nothing', async () => {
  const { got, site, states, url } = await receive();
  const world = await taskWorld('node', [site.host]);
  const client = await connectA2a(world.rig.baseUrl);
  const data = { skill: DEBATE, arguments: ASKING };
  const push = { ...configOf('', url), id: 'mine' };
  const offered = (await client.sendMessage(say({ data, push }))) as Task;
  expect(states()).toEqual(['TASK_STATE_INPUT_REQUIRED']);
  const metadata = { 'x402.payment.payload': (await world.payment())['x402/payment'] };
  await client.sendMessage(say({ taskId: offered.id, metadata }));
  await expect.poll(() => states().length).toBeGreaterThan(1);
  await client.deleteTaskPushNotificationConfig({ tenant: '', taskId: offered.id, id: 'mine' });
  await client.deleteTaskPushNotificationConfig({ tenant: '', taskId: offered.id, id: 'mine' });
  const before = got.length;
  await world.answerAll(offered.id);
  expect(got).toHaveLength(before);
  await site.close();
});

test('addresses inside the network, and those that refuse, are not stored', async () => {
  const { site, url } = await receive(500);
  const world = await taskWorld('node', [site.host]);
  const client = await connectA2a(world.rig.baseUrl);
  const taskId = await world.buy();
  const inside = ['http://127.0.0.1:8080/x', 'http://[::1]/x', 'http://169.254.169.254/latest'];
  for (const address of [...inside, 'file:///etc/passwd']) {
    await expect(
      client.createTaskPushNotificationConfig(configOf(taskId, address)),
      address,
    ).rejects.toMatchObject({ name: 'RequestMalformedError' });
  }
  await expect(client.createTaskPushNotificationConfig(configOf(taskId, url))).rejects.toThrow(
    'HTTP 500',
  );
  const unknown = configOf(`job_${randomUUID()}`, url);
  await expect(client.createTaskPushNotificationConfig(unknown)).rejects.toMatchObject({
    name: 'TaskNotFoundError',
  });
  const list = { tenant: '', taskId, pageSize: 0, pageToken: '' };
  expect((await client.listTaskPushNotificationConfig(list)).configs).toEqual([]);
  await site.close();
});
