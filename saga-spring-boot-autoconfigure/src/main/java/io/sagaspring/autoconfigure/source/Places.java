package io.sagaspring.autoconfigure.source;

import io.sagaspring.definition.Setting;

/** How a sentence names the place of a setting. */
final class Places {

    private Places() {}

    static String of(Setting setting) {
        String place = setting.place();
        return place == null ? "an unnamed source" : place;
    }
}
