package io.sagaspring.definition;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Derives the requesters from the names in the steps if a workflow does not list them. A typo then silently creates
 * another requester. Wherever such a typo could leave a requester without a claim or a validation, a fault demands that
 * the workflow lists its requesters.
 */
final class NamedRequesters {

    private final Faults faults;

    NamedRequesters(Faults faults) {
        this.faults = faults;
    }

    /**
     * Returns the requesters that the steps name. The result is marked as incomplete if an unreadable entry might
     * contain more names.
     */
    NamesRead read(String workflow, Setting at, @Nullable Setting steps) {
        if (!(steps instanceof Setting.Items list)) {
            return NamesRead.NOTHING;
        }
        List<Setting> maps =
                list.items().stream().flatMap(NamedRequesters::mapsByRequester).toList();
        Map<String, Named> named = new LinkedHashMap<>();
        for (Setting map : maps) {
            if (map instanceof Setting.Fields fields) {
                fields.entries().forEach((written, entry) -> {
                    if (!Key.relaxed(written).equals(Requester.ANY)) {
                        named.putIfAbsent(written.strip(), new Named(written.strip(), entry));
                    }
                });
            }
        }
        maps.forEach(this::refuseAnyBesideNames);
        boolean whole = !maps.isEmpty() && maps.stream().allMatch(Setting.Fields.class::isInstance);
        if (named.isEmpty() && whole) {
            faults.add(
                    Rule.UNLISTED_REQUESTERS,
                    at,
                    "The steps of workflow %s name no requester except 'any', so no requester could run them. List the requesters, such as requesters: [user]."
                            .formatted(Printable.quoted(workflow)));
        }
        refuseSimilarNames(List.copyOf(named.values()));
        return new NamesRead(List.copyOf(named.values()), whole);
    }

    private static Stream<Setting> mapsByRequester(Setting step) {
        return step instanceof Setting.Fields fields
                ? fields.entries().entrySet().stream()
                        .filter(entry -> Key.of(Key.Place.STEP).stream()
                                .anyMatch(key -> key.isByRequester() && key.isWrittenAs(entry.getKey())))
                        .map(Map.Entry::getValue)
                : Stream.empty();
    }

    /**
     * Refuses {@code any} together with names. Otherwise, if a name is misspelt, the requester with the correct name
     * would silently get the entry for {@code any}.
     */
    private void refuseAnyBesideNames(Setting map) {
        if (map instanceof Setting.Fields fields
                && fields.entries().size() > 1
                && fields.entries().keySet().stream().map(Key::relaxed).anyMatch(Requester.ANY::equals)) {
            faults.add(
                    Rule.UNLISTED_REQUESTERS,
                    map,
                    "The map has an entry for 'any' and entries for named requesters, but the workflow does not list its requesters. If a name is misspelt, the intended requester would get the entry for 'any'. List the requesters, such as requesters: [user].");
        }
    }

    private void refuseSimilarNames(List<Named> named) {
        for (int index = 1; index < named.size(); index++) {
            Named one = named.get(index);
            List<String> before = named.subList(0, index).stream()
                    .map(Named::text)
                    .filter(other -> !Key.relaxed(other).equals(Key.relaxed(one.text())))
                    .toList();
            Optional<String> other = Nearest.to(one.text(), before)
                    .or(() -> before.stream()
                            .filter(each ->
                                    Nearest.to(each, List.of(one.text())).isPresent())
                            .findFirst());
            if (other.isPresent()) {
                faults.add(
                        Rule.UNLISTED_REQUESTERS,
                        one.from(),
                        "Requester %s may be a typo of requester %s, and the workflow does not list its requesters. Correct the name, or list both in 'requesters'."
                                .formatted(one.quoted(), Printable.quoted(other.get())));
            }
        }
    }

    /**
     * Requires that a step's map of claim states, validations or after-effects, if there is one, has an entry for every
     * requester that can run the step. Without this rule, an entry could be forgotten.
     */
    void judge(StepRead step, NamesRead requesters) {
        if (step.actions().whole() && step.successes().whole()) {
            requireEntryForEach(Key.CLAIM_STATE, step.claims(), step, requesters);
            requireEntryForEach(Key.VALIDATION, step.validations(), step, requesters);
            requireEntryForEach(Key.SUCCESS_AFTER_EFFECT, step.afterEffects(), step, requesters);
        }
    }

    private void requireEntryForEach(Key key, ByRequester<?> entries, StepRead step, NamesRead requesters) {
        List<String> missing = requesters.texts().stream()
                .filter(step::isOpenTo)
                .filter(requester -> !entries.has(requester))
                .map(Printable::quoted)
                .toList();
        if (entries.whole() && !entries.written().isEmpty() && !missing.isEmpty()) {
            faults.add(
                    Rule.UNLISTED_REQUESTERS,
                    entries.written().values().iterator().next(),
                    "The %s can be run by %s, but '%s' has no entry for them, and the workflow does not list its requesters. Add an entry for each of them, or one for 'any'. If the entries are missing on purpose, list the workflow's 'requesters'."
                            .formatted(step.label(), String.join(", ", missing), key.text()));
        }
    }
}
