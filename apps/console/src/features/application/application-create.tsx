import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { NeedsServiceProfile } from '../../components/first-step/needs-service-profile.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { paths } from '../../paths.ts';
import { ApplicationForm } from './application-form.tsx';

export function ApplicationCreate() {
  const { organizationID } = useIDs();
  const navigate = useNavigate();
  return (
    <>
      <PageHeader
        crumbs={[{ label: 'Applications', to: paths.applications(organizationID) }]}
        title="Create application"
      />
      <NeedsServiceProfile organizationID={organizationID} />
      <ApplicationForm
        initial={{ name: '', description: '', serviceProfileID: '' }}
        organizationID={organizationID}
        isNew
        submit="Create application"
        onSubmit={(application) =>
          perform(api.application.create({ application: { ...application, organizationID } }), {
            changed: ['application'],
            done: 'application has been created',
          })
        }
        onSaved={() => void navigate({ to: paths.applications(organizationID) })}
      />
    </>
  );
}
