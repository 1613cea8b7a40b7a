// Consoles in a process of their own: each has one page open by turns (all actors, one actor, the
// runtime), or with TOPICS=all follows these and the feed of every row at once.
// PORT, TOKEN, ACTOR, CONSOLES, TOPICS. Says {ready: true} when all follow; asked by any message, how much came.
import { WebSocket } from 'ws';

const { PORT, TOKEN, ACTOR, CONSOLES, TOPICS } = process.env;
const PAGES = [{ name: 'actors' }, { name: 'actor', actorId: ACTOR }, { name: 'runtime' }];
const came = { bytes: 0, rows: 0, frames: 0, ended: 0, refused: 0 };

await Promise.all(Array.from({ length: Number(CONSOLES) }, (_, at) => open(topicsOf(at))));
process.send({ ready: true });
process.on('message', () => process.send(came));
process.once('disconnect', () => process.exit(0));

function topicsOf(at) {
  return TOPICS === 'all' ? [...PAGES, { name: 'feed' }] : [PAGES[at % PAGES.length]];
}

function open(topics) {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const socket = new WebSocket(`ws://127.0.0.1:${PORT}/inspect`, {
    headers,
    perMessageDeflate: false,
  });
  return new Promise((resolve, reject) => {
    let answers = 0;
    socket.on('error', reject);
    socket.on('open', () => {
      topics.forEach((topic, at) => {
        socket.send(JSON.stringify({ id: at + 1, op: 'subscribe', topic }));
      });
    });
    socket.on('close', () => {
      came.ended += 1;
    });
    socket.on('message', (data) => {
      came.bytes += data.length;
      const message = JSON.parse(data.toString('utf8'));
      if (message.ok === false) came.refused += 1;
      if (message.ok !== undefined) answers += 1;
      if (message.kind === 'rows') came.rows += message.rows.length;
      if (message.kind === 'frame') came.frames += 1;
      if (answers === topics.length) resolve();
    });
  });
}
