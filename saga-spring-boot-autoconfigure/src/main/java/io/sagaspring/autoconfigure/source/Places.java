package io.sagaspring.autoconfigure.source;

import io.sagaspring.definition.Setting;

/** Formats the place of a setting for a sentence. */
final class Places {

    private Places() {}

    static String of(Setting setting) {
        String place = setting.place();
        return place == null ? "an unnamed source" : place;
    }
}
