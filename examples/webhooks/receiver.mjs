// Receives the webhooks of a server, and believes only what is signed with the secret that it gave.
// STOA_WEBHOOK_SECRET_FILE names the file with the secret; it is read anew for each delivery.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { isGenuine } from './genuine.mjs';

const seen = new Set();
const say = (line) => process.stdout.write(`${line}\n`);

const server = createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts).toString('utf8');
  const event = request.headers['stoa-event'];
  // The ping comes before there is a secret: it only asks whether anybody is there.
  if (event === 'webhook.ping') return response.writeHead(204).end();
  const secret = readFileSync(process.env.STOA_WEBHOOK_SECRET_FILE, 'utf8').trim();
  if (!isGenuine(secret, request.headers['stoa-signature'], body)) {
    say('refused');
    return response.writeHead(401).end();
  }
  // A delivery may come twice: its id says so.
  const id = request.headers['stoa-delivery'];
  if (!seen.has(id)) say(`${event} ${JSON.parse(body).data.ref}`);
  seen.add(id);
  return response.writeHead(204).end();
});

server.listen(0, '127.0.0.1', () => say(`http://127.0.0.1:${server.address().port}/`));
