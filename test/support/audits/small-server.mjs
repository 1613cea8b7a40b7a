// A small MCP server over stdio for the contract of the port: one message a line.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const tools = [
  { name: 'echo', description: 'Gives the text back.', inputSchema: { type: 'object' } },
  { name: 'surroundings', description: 'Shows the environment.', inputSchema: { type: 'object' } },
  { name: 'silent', description: 'Never answers.', inputSchema: { type: 'object' } },
  { name: 'flood', description: 'Answers without an end.', inputSchema: { type: 'object' } },
  { name: 'child', description: 'Starts a program that stays.', inputSchema: { type: 'object' } },
  { name: 'exit', description: 'Ends the server.', inputSchema: { type: 'object' } },
];
const say = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (id, value) => say({ id, result: { content: [{ type: 'text', text: value }] } });

function call(id, { name, arguments: values }) {
  if (name === 'echo') return text(id, values.text);
  if (name === 'surroundings') return text(id, JSON.stringify(process.env));
  if (name === 'flood') {
    const write = () => process.stdout.write(`${'x'.repeat(65_536)}\n`, write);
    return write();
  }
  if (name === 'child') {
    // A group of its own: only who looks for descendants finds it.
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
      detached: true,
      stdio: 'ignore',
    });
    return text(id, String(child.pid));
  }
  if (name === 'exit') process.exit(0);
  if (name !== 'silent') say({ id, error: { code: -32602, message: 'unknown tool' } });
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') {
    const serverInfo = { name: 'small', version: '1.0.0' };
    const capabilities = { tools: {} };
    return say({ id, result: { protocolVersion: '2025-11-25', capabilities, serverInfo } });
  }
  if (method === 'tools/list') return say({ id, result: { tools } });
  if (method === 'tools/call') return call(id, params);
  if (id !== undefined) say({ id, error: { code: -32601, message: 'unknown method' } });
});
