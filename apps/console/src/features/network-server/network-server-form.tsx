import type { NetworkServer } from '@hilltop/contract';
import { NumberField, SwitchField } from '../../components/form/fields.tsx';
import { FormSection } from '../../components/form/form-section.tsx';
import { FormSections } from '../../components/form/form-sections.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { TextAreaField } from '../../components/form/text-area-field.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { EditPage } from '../../components/resource/edit-page.tsx';
import type { ResourceFormProps } from '../../components/resource/resource-form.ts';
import { useMay } from '../../session/session.tsx';
import { isEmbedded, tabsOf, titleOf } from './network-server-header.tsx';

export const emptyNetworkServer: NetworkServer = {
  id: '0',
  name: '',
  server: '',
  caCert: '',
  tlsCert: '',
  tlsKey: '',
  routingProfileCACert: '',
  routingProfileTLSCert: '',
  routingProfileTLSKey: '',
  gatewayDiscoveryEnabled: false,
  gatewayDiscoveryInterval: 0,
  gatewayDiscoveryTXFrequency: 0,
  gatewayDiscoveryDR: 0,
};

export function NetworkServerForm({ initial, ...rest }: ResourceFormProps<NetworkServer>) {
  const form = useMessageForm('NetworkServer', { values: initial });
  return (
    <MessageForm form={form} {...rest}>
      <FormSections
        sections={[
          {
            value: 'general',
            label: 'General',
            content: (
              <>
                <TextField name="name" />
                <TextField
                  name="server"
                  placeholder="localhost:8000"
                  {...(isEmbedded(initial) && {
                    disabled: true,
                    help: 'This network-server runs inside Hilltop.',
                  })}
                />
              </>
            ),
          },
          {
            value: 'gateway-discovery',
            label: 'Gateway discovery',
            content: (
              <>
                <SwitchField name="gatewayDiscoveryEnabled" />
                {form.values.gatewayDiscoveryEnabled && <Discovery />}
              </>
            ),
          },
          { value: 'tls', label: 'TLS certificates', content: <Certificates before={initial} now={form.values} /> },
        ]}
      />
    </MessageForm>
  );
}

function Discovery() {
  const positive = (value: number) => (value > 0 ? null : 'This must be greater than 0.');
  return (
    <>
      <NumberField name="gatewayDiscoveryInterval" validate={positive} />
      <NumberField name="gatewayDiscoveryTXFrequency" validate={positive} />
      <NumberField name="gatewayDiscoveryDR" />
    </>
  );
}

const pem = {
  rows: 4,
  spellCheck: false,
  styles: { input: { fontFamily: 'var(--mantine-font-family-monospace)' } },
  validate: (text: string) =>
    text.trimStart().startsWith('-----BEGIN ') ? null : 'Enter PEM text, which begins with -----BEGIN.',
} as const;

/** Certificate and key are set together. The API does not return a stored key: a certificate implies one. */
function Certificates({ before, now }: { before: NetworkServer; now: NetworkServer }) {
  const certificate = (key: string) => ({ ...pem, required: key !== '' });
  const key = (stored: string, given: string) => ({
    ...pem,
    required: given !== '' && stored === '',
    ...(stored !== '' && given !== '' && { placeholder: 'The stored key stays' }),
  });
  return (
    <>
      <FormSection
        title="From the application-server to the network-server"
        help="The certificate that this server presents when it calls the network-server."
      >
        <TextAreaField name="caCert" {...pem} />
        <TextAreaField name="tlsCert" {...certificate(now.tlsKey)} />
        <TextAreaField name="tlsKey" {...key(before.tlsCert, now.tlsCert)} />
      </FormSection>
      <FormSection
        title="From the network-server to the application-server"
        help="The certificate that the network-server presents when it calls this server."
      >
        <TextAreaField name="routingProfileCACert" {...pem} />
        <TextAreaField name="routingProfileTLSCert" {...certificate(now.routingProfileTLSKey)} />
        <TextAreaField name="routingProfileTLSKey" {...key(before.routingProfileTLSCert, now.routingProfileTLSCert)} />
      </FormSection>
    </>
  );
}

export function NetworkServerEdit() {
  const may = useMay();
  return (
    <EditPage
      of="networkServer"
      form={NetworkServerForm}
      header={(answer) => ({ ...titleOf(answer), tabs: may('radio.get') ? tabsOf(answer.networkServer) : [] })}
      deletion={{ mustType: true }}
    />
  );
}
