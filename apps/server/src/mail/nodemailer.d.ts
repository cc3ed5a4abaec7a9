/** The part of nodemailer that is used. */
declare module 'nodemailer' {
  interface MailToSend {
    from: string;
    to: string[];
    subject: string;
    text: string;
    html: string;
    messageId: string;
    headers: Record<string, string>;
  }
  interface TransportSettings {
    url: string;
    dnsTimeout: number;
    connectionTimeout: number;
    greetingTimeout: number;
    socketTimeout: number;
    disableFileAccess: boolean;
    disableUrlAccess: boolean;
  }
  export function createTransport(settings: TransportSettings): {
    sendMail(mail: MailToSend): Promise<{ response: string; rejected: string[] }>;
  };
}
