import type { DeliveryStatus } from '@hilltop/contract';
import { Button, Paper, Skeleton, Text, Title, VisuallyHidden } from '@mantine/core';
import {
  type Icon,
  IconBrandAws,
  IconBrandAzure,
  IconBrandGoogle,
  IconChartDots,
  IconDashboard,
  IconDatabase,
  IconDeviceImac,
  IconMapPin,
  IconNetwork,
  IconWorld,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { integrationKinds, segmentOf } from '../../api/integration-facts.ts';
import { query } from '../../api/queries.ts';
import { Sparkline } from '../../components/chart/sparkline.tsx';
import { ConfirmDialog } from '../../components/confirm/confirm-dialog.tsx';
import { AppLink, LinkButton } from '../../components/link/link.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { Loaded } from '../../components/states/loaded.tsx';
import { DeliveryState, reasonOf, useDeliveryStates } from '../../components/status/delivery-state.tsx';
import { paths } from '../../paths.ts';
import classes from './integration.module.css';
import type { Kind } from './kinds.ts';
import { removal, remove } from './remove.ts';

const logos: Record<Kind['kind'] | 'MQTT_GLOBAL', Icon> = {
  AWS_SNS: IconBrandAws,
  AZURE_SERVICE_BUS: IconBrandAzure,
  GCP_PUBSUB: IconBrandGoogle,
  HTTP: IconWorld,
  INFLUXDB: IconDatabase,
  MYDEVICES: IconDeviceImac,
  MQTT_GLOBAL: IconNetwork,
  PILOT_THINGS: IconChartDots,
  LORACLOUD: IconMapPin,
  THINGSBOARD: IconDashboard,
};

const mqtt = {
  kind: 'MQTT_GLOBAL',
  label: 'MQTT',
  sentence: 'Publishes every event and accepts downlinks for programs that connect by MQTT.',
} as const;

type Card = Kind | typeof mqtt;

/** The date on which the service of a kind was discontinued. */
const endOf = (card: Card) => (card === mqtt ? undefined : (card as Kind).ended);

/** All kinds, MQTT if the server has it: suspended ones first, then configured ones, then available ones. */
function cardsOf(
  configured: readonly string[],
  states: ReadonlyMap<string, DeliveryStatus>,
): { on: Card[]; off: Card[] } {
  const at = integrationKinds.findIndex(({ kind }) => kind === 'MYDEVICES') + 1;
  const all: Card[] = [...integrationKinds.slice(0, at), mqtt, ...integrationKinds.slice(at)];
  const isOn = ({ kind }: Card) => configured.includes(kind);
  const isSuspended = ({ kind }: Card) => states.get(kind)?.state === 'SUSPENDED';
  const on = all.filter(isOn);
  return {
    on: [...on.filter(isSuspended), ...on.filter((card) => !isSuspended(card))],
    off: all.filter((card) => !isOn(card) && card !== mqtt),
  };
}

interface ConfiguredActionsProps {
  card: Card;
  page: (kind: string, name: 'create' | 'edit' | 'deliveries') => string;
  onRemove: () => void;
}

function ConfiguredActions({ card, page, onRemove }: ConfiguredActionsProps) {
  const { organizationID, applicationID } = useIDs();
  if (card === mqtt)
    return (
      <LinkButton size="compact-sm" variant="subtle" to={paths.mqttCertificate(organizationID, applicationID)}>
        Get certificate
      </LinkButton>
    );
  return (
    <>
      <LinkButton size="compact-sm" variant="subtle" aria-label={`Edit ${card.label}`} to={page(card.kind, 'edit')}>
        Edit
      </LinkButton>
      <Button size="compact-sm" variant="subtle" color="red" aria-label={`Remove ${card.label}`} onClick={onRemove}>
        Remove
      </Button>
    </>
  );
}

/** The integrations of an application, configured and available. */
export function IntegrationList() {
  const { organizationID, applicationID } = useIDs();
  const [leaving, setLeaving] = useState<Kind | null>(null);
  const list = useQuery(query('application', 'listIntegrations', { applicationID }));
  const states = useDeliveryStates(applicationID);
  const page = (kind: string, name: 'create' | 'edit' | 'deliveries') =>
    paths.integration(organizationID, applicationID, segmentOf(kind), name);
  return (
    <Loaded query={list} skeleton={<CardsSkeleton />}>
      {({ result }) => {
        const { on, off } = cardsOf(
          result.map(({ kind }) => kind),
          states,
        );
        return (
          <>
            <div className={classes.cards}>
              {on.map((card) => (
                <IntegrationCard
                  key={card.kind}
                  card={card}
                  status={states.get(card.kind)}
                  to={page(card.kind, 'deliveries')}
                >
                  <ConfiguredActions card={card} page={page} onRemove={() => setLeaving(card as Kind)} />
                </IntegrationCard>
              ))}
              {off.map((card) => (
                <IntegrationCard key={card.kind} card={card} isOff>
                  {endOf(card) !== undefined ? (
                    <Text size="sm" c="dimmed" px={8}>
                      Ended on {endOf(card)}
                    </Text>
                  ) : (
                    <LinkButton
                      size="compact-sm"
                      variant="subtle"
                      aria-label={`Add ${card.label}`}
                      to={page(card.kind, 'create')}
                    >
                      Add
                    </LinkButton>
                  )}
                </IntegrationCard>
              ))}
            </div>
            <ConfirmDialog
              opened={leaving !== null}
              onClose={() => setLeaving(null)}
              title="Remove?"
              question={leaving ? removal(leaving).question : ''}
              action="Remove"
              onConfirm={() => (leaving ? remove(leaving, applicationID) : Promise.resolve())}
            >
              {leaving && <Text c="dimmed">{removal(leaving).note}</Text>}
            </ConfirmDialog>
          </>
        );
      }}
    </Loaded>
  );
}

interface CardProps {
  card: Card;
  status?: DeliveryStatus | undefined;
  /** The number of delivered events. */
  to?: string;
  isOff?: boolean;
  children: ReactNode;
}

function IntegrationCard({ card, status, to, isOff = false, children }: CardProps) {
  const Logo = logos[card.kind];
  return (
    <Paper
      component="section"
      p="md"
      className={classes.card ?? ''}
      data-off={isOff || undefined}
      aria-label={card.label}
    >
      <div className={classes.head}>
        <Logo size={28} className={classes.logo} aria-hidden />
        <Title order={2}>{card.label}</Title>
      </div>
      <p className={classes.sentence}>{card.sentence}</p>
      {status && (
        <>
          <div className={classes.state}>
            <DeliveryState status={status} isEnded={endOf(card) !== undefined} />
            {to && card !== mqtt && (
              <AppLink to={to} aria-label={`Deliveries of ${card.label}`}>
                Deliveries
              </AppLink>
            )}
          </div>
          {reasonOf(status) !== '' && <p className={classes.reason}>{reasonOf(status)}</p>}
          {status.lastSuccessAt !== null && (
            <div className={classes.spark}>
              <Sparkline label="Delivered" of="hours" values={status.hours.map(({ delivered }) => delivered)} />
            </div>
          )}
        </>
      )}
      <div className={classes.actions}>{children}</div>
    </Paper>
  );
}

function CardsSkeleton() {
  return (
    <div className={classes.cards} aria-busy="true">
      <VisuallyHidden>Loading</VisuallyHidden>
      {Array.from({ length: 9 }, (_, index) => (
        <Skeleton key={`card-${index + 1}`} height={132} />
      ))}
    </div>
  );
}
