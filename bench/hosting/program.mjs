// The sample that is hosted: answers with what it is given.
import { createServer } from 'node:http';

const server = createServer((_asked, answer) => answer.end('served'));
server.listen(process.env.PORT, '127.0.0.1');
process.on('SIGTERM', () => server.close(() => process.exit()));
