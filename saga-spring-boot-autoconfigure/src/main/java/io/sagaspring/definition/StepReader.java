package io.sagaspring.definition;

import org.jspecify.annotations.Nullable;

final class StepReader {

    private final Faults faults;
    private final ValueReader values;
    private final NamesRead requesters;

    StepReader(Faults faults, NamesRead requesters) {
        this.faults = faults;
        this.values = new ValueReader(faults);
        this.requesters = requesters;
    }

    @Nullable
    StepRead read(Setting setting, int index) {
        if (!(setting instanceof Setting.Fields fields)) {
            faults.add(
                    Rule.SHAPE,
                    setting,
                    "A step must be a map of keys, but it is %s. Write '- step-key: close' and the other keys below it."
                            .formatted(ValueReader.shapeOf(setting)));
            return null;
        }
        KeyedFields step = KeyedFields.of(fields, Key.Place.STEP, "A step", faults);
        return new StepRead(
                fields,
                step.get(Key.STEP_ID) == null
                        ? Integer.valueOf(idOf(index))
                        : values.wholeNumber(step.get(Key.STEP_ID)),
                values.name(step.get(Key.STEP_KEY)),
                values.name(step.get(Key.STATUS)),
                values.byRequester(Key.CLAIM_STATE, step, requesters, values::claim),
                values.byRequester(Key.SUCCESSFUL_STATE, step, requesters, values::name),
                values.byRequester(Key.VALIDATION, step, requesters, values::name),
                values.byRequester(Key.ACTION, step, requesters, values::name),
                values.byRequester(Key.SUCCESS_AFTER_EFFECT, step, requesters, values::name));
    }

    /** Returns the default id of a step. The gaps leave room for ids that you assign yourself. */
    private static int idOf(int index) {
        return 10 * (index + 1);
    }
}
