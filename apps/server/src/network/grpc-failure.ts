import { type Client, Metadata } from '@grpc/grpc-js';

/** Error texts of the libraries, and their meaning for the user who configured the address. */
const meanings: readonly (readonly [says: RegExp, means: string])[] = [
  [/ECONNREFUSED/, 'nothing listens there'],
  [/EHOSTUNREACH|ENETUNREACH/, 'there is no way to that address'],
  [/wrong version number|packet length too long/, 'it does not speak TLS'],
  [/alert certificate required/, 'it asks for a client certificate'],
  [/altnames/, 'its certificate is for another name'],
  [/signed|signature failure|unable to get|unable to verify|CERT_/i, 'its certificate is not of the given CA'],
  [/certificate (has expired|is not yet valid)/, 'its certificate is not valid at this time'],
  [/alert (unknown ca|bad certificate)/, 'it does not accept the client certificate'],
  // The only information when the server closes the connection during the handshake.
  [/Failed to connect|ECONNRESET|hang up/, 'it hung up, as it does when TLS or the client certificate do not fit'],
];

/** Why the connection failed. Only a call gets the reason; without a connection it is not sent. */
export async function reasonOf(client: Client): Promise<string> {
  const nothing = () => Buffer.alloc(0);
  const details = await new Promise<string>((resolve) => {
    const call = '/ns.NetworkServerService/GetVersion';
    const deadline = Date.now() + 500;
    client.makeUnaryRequest(call, nothing, nothing, null, new Metadata(), { deadline }, (error) =>
      resolve(error?.details ?? ''),
    );
  });
  return meanings.find(([says]) => says.test(details))?.[1] ?? 'the connection failed';
}
