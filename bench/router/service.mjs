// A service as its owner would write it: node:http, one answer of a kilobyte, and echo of bodies.
import { createServer } from 'node:http';

const body = Buffer.alloc(1_024, 'x');
const server = createServer((call, answer) => {
  call.resume();
  call.on('end', () => {
    answer.writeHead(200, { 'content-type': 'text/plain', 'content-length': body.length });
    answer.end(body);
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address();
  process.stdout.write(`${JSON.stringify({ ready: true, port })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
