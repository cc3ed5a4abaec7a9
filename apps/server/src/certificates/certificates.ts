import { X509Certificate } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { readPair, readPEM } from '../pem-file.ts';
import type { Secrets } from '../secrets.ts';
import { addClientCertificate, type ClientAuthority, gatewayOf, ownerOf } from './client-certificates.ts';
import type { Pair } from './issue.ts';
import { createOwnCertificates } from './own-certificates.ts';
import { isGoodFor, serverNames } from './server-names.ts';
import type { CertificateSettings } from './settings.ts';
import { readSettingsAuthority } from './settings-authority.ts';

/**
 * Certificates of the TLS listener of MQTT, and those with which programs and gateways sign in. Each of the three uses
 * has its own authority, because an application and a gateway may have the same digits as their name. Each authority is
 * created when it is first needed.
 */
export interface Certificates {
  /** For the TLS listener. */
  ofListener: () => Promise<Pair>;
  /** PEM texts of the authorities whose client certificates are accepted, including those of gateways. */
  clientAuthorities: () => Promise<string[]>;
  /** Like `clientAuthorities`, for gateways alone. */
  gatewayAuthorities: () => Promise<string[]>;
  /**
   * The application that a client certificate identifies. Undefined when the certificate is revoked, of another
   * authority, or was never listed.
   */
  ownerOf: (certificate: X509Certificate) => ReturnType<typeof ownerOf>;
  /** The gateway that a client certificate identifies. Undefined in the same cases. */
  gatewayOf: (certificate: X509Certificate) => ReturnType<typeof gatewayOf>;
  /** Issues a client certificate for an application. Its key is not stored. */
  issue: (applicationID: number) => Promise<IssuedCertificate>;
  /** Issues a client certificate for a gateway, with its EUI as the common name. */
  issueForGateway: (gatewayID: string) => Promise<IssuedCertificate>;
}

export interface IssuedCertificate {
  cert: string;
  key: string;
  /**
   * The CA certificates with which a client verifies the listener, and that of the authority that signed the
   * certificate.
   */
  ca: string;
  expiresAt: Date;
}

interface CertificatesDependencies {
  config: CertificateSettings & { mqttURL: string; mqttCA: string };
  database: Database;
  secrets: Secrets;
  now: () => Date;
}

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const authorityMs = 20 * 365 * dayMs;
const listenerMs = 397 * dayMs;
const renewMs = 30 * dayMs;

/** Loaded late: the library takes 30 MB and is rarely needed. */
const issuing = () => import('./issue.ts');

/** Throws StartError when certificate files of the settings are invalid. */
export async function createCertificates(needs: CertificatesDependencies): Promise<Certificates> {
  const { config, database, secrets, now } = needs;
  const own = createOwnCertificates(database, secrets, now);
  const ofSettings = await readSettingsAuthority(config);
  const ofFiles = await readPair(['HILLTOP_MQTT_CERT', config.mqttCert], ['HILLTOP_MQTT_KEY', config.mqttKey]);
  const ofBroker = config.mqttCA === '' ? undefined : await readPEM('HILLTOP_MQTT_CA', config.mqttCA);
  const period = (ms: number) => ({ from: now(), until: new Date(now().getTime() + ms) });

  const authority = (name: 'server' | 'applications' | 'gateways') =>
    own.of(name, async () => (await issuing()).makeAuthority(`Hilltop ${name}`, period(authorityMs)));

  /** The authorities with which a client verifies the broker. */
  async function trusted(): Promise<string> {
    if (config.mqttURL !== '') return ofBroker?.toString() ?? '';
    if (!ofFiles) return (await authority('server')).cert;
    return issuersIn(ofFiles.cert.toString());
  }

  async function isOf(name: 'applications' | 'gateways', certificate: X509Certificate): Promise<boolean> {
    const ours = new X509Certificate((await authority(name)).cert);
    return certificate.checkIssued(ours) && certificate.verify(ours.publicKey);
  }

  async function issueFor(commonName: string, signer: Pair) {
    const span = period(config.mqttCertLifetime * hourMs);
    const { cert, key, serial } = await (await issuing()).issue(signer, { commonName, ...span });
    return { cert, key, serial, issuedAt: span.from, expiresAt: new X509Certificate(cert).validToDate };
  }

  return {
    ofListener: async () => {
      if (ofFiles) return { cert: ofFiles.cert.toString(), key: ofFiles.key.toString() };
      const names = serverNames(config.mqttPublic);
      const signer = await authority('server');
      const make = async () =>
        (await issuing()).issue(signer, { commonName: names[0]!.slice(0, 64), names, ...period(listenerMs) });
      return own.of('mqtt', make, (cert) => !isGoodFor(cert, names, new Date(now().getTime() + renewMs)));
    },

    clientAuthorities: async () => {
      const own = [(await authority('applications')).cert, (await authority('gateways')).cert];
      return ofSettings ? [...own, ofSettings.cert] : own;
    },

    gatewayAuthorities: async () => [(await authority('gateways')).cert],

    ownerOf: async (certificate) => {
      if (await isOf('gateways', certificate)) return undefined;
      const isOurs = await isOf('applications', certificate);
      return ownerOf(database, certificate, { authority: isOurs ? 'applications' : 'settings', at: now() });
    },

    gatewayOf: async (certificate) =>
      (await isOf('gateways', certificate)) ? gatewayOf(database, certificate, now()) : undefined,

    issue: async (applicationID) => {
      const name: ClientAuthority = ofSettings ? 'settings' : 'applications';
      const signer = ofSettings ?? (await authority('applications'));
      const { cert, key, ...listed } = await issueFor(String(applicationID), signer);
      await database.transaction(async () => {
        await addClientCertificate(database, { ...listed, authority: name, applicationID });
        const rows = database.query.updateTable('application').set({ mqtt_tls_cert: cert });
        await rows.where('id', '=', applicationID).execute();
      });
      return { cert, key, ca: [await trusted(), signer.cert].map(ended).join(''), expiresAt: listed.expiresAt };
    },

    issueForGateway: async (gatewayID) => {
      const signer = await authority('gateways');
      const { cert, key, ...listed } = await issueFor(gatewayID, signer);
      await database.transaction(() => addClientCertificate(database, { ...listed, authority: 'gateways', gatewayID }));
      // The broker may use a certificate from files while other listeners use one of our own.
      const ca = new Set([await trusted(), (await authority('server')).cert, signer.cert].map(ended));
      return { cert, key, ca: [...ca].join(''), expiresAt: listed.expiresAt };
    },
  };
}

/** The certificates that follow the first one; a certificate alone is its own issuer. */
function issuersIn(text: string): string {
  const [leaf = '', ...chain] = pemsOf(text);
  return chain.join('') || leaf;
}

function pemsOf(text: string): string[] {
  return (text.match(/-----BEGIN CERTIFICATE-----[^]+?-----END CERTIFICATE-----/g) ?? []).map(ended);
}

function ended(pem: string): string {
  return pem === '' || pem.endsWith('\n') ? pem : `${pem}\n`;
}
