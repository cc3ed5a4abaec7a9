/** The part of smtp-server that tests use. */
declare module 'smtp-server' {
  import type { Server } from 'node:net';
  import type { Readable } from 'node:stream';

  type Done = (error?: Error | null, response?: { user: string }) => void;

  export class SMTPServer {
    constructor(options: {
      disabledCommands: string[];
      allowInsecureAuth: boolean;
      onAuth: (auth: { username: string; password: string }, session: unknown, done: Done) => void;
      onData: (stream: Readable, session: { envelope: { rcptTo: { address: string }[] } }, done: Done) => void;
    });
    listen(port: number, host: string): Server;
    close(done: () => void): void;
  }
}
