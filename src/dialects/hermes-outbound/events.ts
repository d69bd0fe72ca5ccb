// What `events:` of a receiver may name: the events of Hermes Agent's shell hooks and of its gateway hooks, and ours.
import { didYouMean } from "../../system/nearest.ts";
import { isMeant as isMeantInGateway, subscriptionsOf, toldNames } from "../hermes-gateway/events.ts";
import { eventOf, isMeant, knownNames, notCarried } from "../hermes-shell/events.ts";
import type { Subscription } from "./target.ts";

/** What a name stands for, or why it stands for nothing, as a sentence. */
export function subscriptionsFor(written: string): readonly Subscription[] | { readonly mistake: string } {
	const event = eventOf(written);
	if (event !== undefined) return [{ written, event, nameFor: () => written, isMeant: (payload) => isMeant(written, payload) }];
	const why = Object.hasOwn(notCarried, written) ? notCarried[written] : undefined;
	if (why !== undefined) return { mistake: `'${written}' is an event of Hermes Agent that Hookline does not have. ${why}` };
	const ofGateway = written.includes(":") ? subscriptionsOf(written) : [];
	if (Array.isArray(ofGateway) && ofGateway.length > 0) {
		return (ofGateway as Exclude<ReturnType<typeof subscriptionsOf>, { readonly mistake: string }>).map((subscription) => ({
			written,
			event: subscription.event,
			nameFor: (payload) => (subscription.theirs === "command" ? `command:${String((payload as { readonly name?: string }).name)}` : subscription.theirs),
			isMeant: (payload) => isMeantInGateway(subscription, payload),
		}));
	}
	return { mistake: `there is no event '${written}'.${didYouMean(written, [...knownNames, ...toldNames]) || " docs/outbound-webhooks.md says which there are."}` };
}
