import { Plus } from "lucide-react";
import { Button } from "../../ui/index.ts";
import { useAddressQuery } from "../data/index.ts";
import { PageHead, Tabs } from "../ui/index.ts";
import { DeliveryLog } from "./delivery-log.tsx";
import { NewWebhook } from "./new-webhook.tsx";
import { SubscriptionList } from "./subscription-list.tsx";
import "./webhooks.css";

/** `/console/webhooks`: who is told of issues, and everything that was sent. */
export function WebhooksScreen() {
  const query = useAddressQuery();
  const isLog = query.get("tab") === "deliveries";
  const open = () => query.set({ new: "1" });
  return (
    <>
      <PageHead
        title="Webhooks"
        sub="Programs and chats that are told of issues and of revisions."
        actions={
          <Button look="primary" icon={<Plus />} onClick={open} data-testid="new-webhook">
            New webhook
          </Button>
        }
      />
      <Tabs
        items={[
          { id: "webhooks", label: "Webhooks", href: "/webhooks" },
          { id: "deliveries", label: "Deliveries", href: "/webhooks?tab=deliveries" },
        ]}
        current={isLog ? "deliveries" : "webhooks"}
      />
      {isLog ? <DeliveryLog /> : <SubscriptionList onNew={open} />}
      {query.get("new") !== "" && <NewWebhook onClose={() => query.set({ new: null })} />}
    </>
  );
}
