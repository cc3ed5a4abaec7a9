import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A mail that arrived, as its sender wrote it. */
export interface ReceivedMail {
  readonly to: readonly string[];
  readonly text: string;
  readonly subject: string;
}

export interface TestMailServer extends AsyncDisposable {
  /** With a user name and password. */
  readonly url: string;
  readonly mails: ReceivedMail[];
  /** The reply code to mails: 250 accepts them. */
  reply: number;
  /** Receivers for which it answers 451: try again later. */
  readonly greylisted: Set<string>;
  /** Ends the server; `start` begins again at the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

export const mailPassword = 'smtp-secret';

/** A real mail server that keeps what it gets. */
export async function startMailServer(): Promise<TestMailServer> {
  const mails: ReceivedMail[] = [];
  let port = 0;
  let server: SMTPServer | undefined;
  const create = () =>
    new SMTPServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) =>
        password === mailPassword ? done(null, { user: username }) : done(new Error('wrong password')),
      onRcptTo: ({ address }, _session, done) =>
        done(testServer.greylisted.has(address) ? Object.assign(new Error('later'), { responseCode: 451 }) : null),
      onData: (stream, { envelope }, done) => {
        let text = '';
        stream.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        stream.on('end', () => {
          if (testServer.reply !== 250)
            return done(Object.assign(new Error('refused'), { responseCode: testServer.reply }));
          const [, subject = ''] = /^Subject: (.*(?:\r\n[ \t].*)*)/m.exec(text) ?? [];
          mails.push({
            to: envelope.rcptTo.map(({ address }) => address),
            text,
            subject: subject.replaceAll(/\r\n\s/g, ' '),
          });
          done();
        });
      },
    });
  const testServer: TestMailServer = {
    get url() {
      return `smtp://hilltop:${mailPassword}@127.0.0.1:${port}`;
    },
    mails,
    reply: 250,
    greylisted: new Set(),
    start: async () => {
      server = create();
      const listening = server.listen(port, '127.0.0.1');
      await once(listening, 'listening');
      port = (listening.address() as AddressInfo).port;
    },
    stop: () => new Promise((stopped) => server!.close(stopped)),
    [Symbol.asyncDispose]: () => testServer.stop(),
  };
  await testServer.start();
  return testServer;
}
