// Raw uWebSockets.js that sends kept bytes: the answers of our own server, with the same headers.
// ANSWERS names a file with a list of {path, headers, body}.

import uWS from 'uWebSockets.js';
import { readFileSync } from 'node:fs';

const answers = new Map(
  JSON.parse(readFileSync(process.env.ANSWERS, 'utf8')).map(({ path, headers, body }) => [
    path,
    { headers: Object.entries(headers), body: Buffer.from(body) },
  ]),
);

uWS
  .App()
  .get('/*', (response, request) => {
    const query = request.getQuery();
    const path = request.getUrl();
    const answer = answers.get(query ? `${path}?${query}` : path);
    response.cork(() => {
      if (answer === undefined) {
        response.writeStatus('404 Not Found').end();
        return;
      }
      for (const [name, value] of answer.headers) response.writeHeader(name, value);
      response.end(answer.body);
    });
  })
  .listen('127.0.0.1', 0, (socket) => {
    const port = uWS.us_socket_local_port(socket);
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
  });
