import { Alert, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { perform, query } from '../../api/queries.ts';
import { MessageForm } from '../../components/form/message-form.tsx';
import { StayButton } from '../../components/form/stay-button.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { NotFound } from '../../components/states/error-pages.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { useDeliveryStates, useReportsDeliveries } from '../../components/status/delivery-state.tsx';
import { paths } from '../../paths.ts';
import { DeliveryOptions } from './delivery-options.tsx';
import { IntegrationFields } from './integration-fields.tsx';
import { tidied } from './integration-layout.ts';
import {
  type Config,
  createIntegration,
  type Kind,
  kindAt,
  newConfig,
  readConfig,
  updateIntegration,
} from './kinds.ts';
import { SigningSecret } from './signing-secret.tsx';
import { useTestDelivery } from './test-delivery.tsx';

interface Props {
  kind: Kind;
  initial: Config;
  submit: string;
  send: (kind: Kind, config: Config) => Promise<unknown>;
  /** The text of the toast. */
  done: 'created' | 'updated';
}

function IntegrationForm({ kind, initial, submit, send, done }: Props) {
  const { organizationID, applicationID } = useIDs();
  const navigate = useNavigate();
  const form = useMessageForm(kind.config, { values: initial });
  const reports = useReportsDeliveries();
  const test = useTestDelivery({ applicationID, kind: kind.kind }, () =>
    form.check() ? tidied(kind.kind, form.sent()) : null,
  );
  return (
    <MessageForm
      form={form}
      submit={submit}
      isNew={done === 'created'}
      stayButton={done === 'updated' ? StayButton : undefined}
      actions={reports && kind.ended === undefined && test.button}
      onSubmit={(config) =>
        perform(send(kind, tidied(kind.kind, config)), {
          changed: ['application', 'delivery'],
          done: `${kind.label} integration has been ${done}`,
        })
      }
      onSaved={() => void navigate({ to: paths.integrations(organizationID, applicationID) })}
    >
      <IntegrationFields kind={kind.kind} values={form.values} stored={initial} />
      {test.result}
    </MessageForm>
  );
}

/** Creates an integration of the kind in the URL. */
export function IntegrationCreate() {
  const { organizationID, applicationID, kind: segment } = useIDs();
  const application = useQuery(query('application', 'get', { id: applicationID }));
  const kind = kindAt(segment);
  if (!kind) return <NotFound />;
  return (
    <Loaded isPage query={application}>
      {({ application: { name } }) => (
        <>
          <PageHeader
            crumbs={[
              { label: name, to: paths.application.one(organizationID, applicationID) },
              { label: 'Integrations', to: paths.integrations(organizationID, applicationID) },
            ]}
            title={`Add ${kind.label} integration`}
          />
          {kind.ended !== undefined ? (
            <Alert color="yellow" title={`${kind.label} ended on ${kind.ended}`}>
              It is no longer available. Choose another integration.
            </Alert>
          ) : (
            <IntegrationForm
              kind={kind}
              initial={newConfig(kind, applicationID)}
              submit="Add integration"
              send={createIntegration}
              done="created"
            />
          )}
        </>
      )}
    </Loaded>
  );
}

/** Edits the integration of the surrounding page. */
export function IntegrationEdit() {
  const { applicationID, kind: segment } = useIDs();
  const kind = kindAt(segment)!;
  const status = useDeliveryStates(applicationID).get(kind.kind);
  return (
    <Loaded query={useQuery(readConfig(kind, applicationID))}>
      {({ integration }) => (
        <Stack gap="md">
          <IntegrationForm
            kind={kind}
            initial={integration}
            submit="Update integration"
            send={updateIntegration}
            done="updated"
          />
          {status && kind.ended === undefined && <DeliveryOptions owner={{ applicationID }} status={status} />}
          {status && kind.kind === 'HTTP' && <SigningSecret owner={{ applicationID }} />}
        </Stack>
      )}
    </Loaded>
  );
}
