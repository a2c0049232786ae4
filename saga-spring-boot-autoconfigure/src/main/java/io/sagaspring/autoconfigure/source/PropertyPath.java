package io.sagaspring.autoconfigure.source;

import io.sagaspring.definition.Key;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/** The path from the root of the tree of settings to one property. */
record PropertyPath(List<Element> elements) {

    /**
     * The maximum depth of a path, twice the depth of any workflow. The rest of a longer path becomes one key, so that
     * no property name exhausts the stack.
     */
    static final int DEEPEST = 12;

    private static final int LONGEST_INDEX = 20;

    static final PropertyPath ROOT = new PropertyPath(List.of());

    record Element(String text, boolean isIndex) {}

    /**
     * Splits a name as Spring Boot does, but keeps every character: a character that Spring Boot ignores may be a typo
     * in the settings of a claim state.
     */
    static PropertyPath parse(String name) {
        List<Element> elements = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        int depth = 0;
        boolean afterBracket = false;
        for (int at = 0; at < name.length(); at++) {
            char each = name.charAt(at);
            if (each == '[' && depth++ == 0) {
                if (!text.isEmpty()) {
                    elements.add(new Element(text.toString(), false));
                }
                text.setLength(0);
            } else if (each == ']' && depth > 0 && --depth == 0) {
                elements.add(new Element(text.toString(), isIndex(text)));
                text.setLength(0);
                afterBracket = true;
            } else if (each == '.' && depth == 0) {
                if (!afterBracket || !text.isEmpty()) {
                    elements.add(new Element(text.toString(), false));
                }
                text.setLength(0);
                afterBracket = false;
            } else {
                text.append(each);
            }
        }
        if (!afterBracket || !text.isEmpty()) {
            elements.add(new Element(text.toString(), false));
        }
        return new PropertyPath(List.copyOf(elements));
    }

    static PropertyPath of(ConfigurationPropertyName name) {
        return new PropertyPath(IntStream.range(0, name.getNumberOfElements())
                .mapToObj(each -> name.getElement(each, Form.ORIGINAL))
                .map(each -> new Element(each, isIndex(each)))
                .toList());
    }

    private static boolean isIndex(CharSequence text) {
        return !text.isEmpty()
                && text.length() <= LONGEST_INDEX
                && text.chars().allMatch(each -> each >= '0' && each <= '9');
    }

    boolean isBelow(PropertyPath prefix) {
        int length = prefix.elements.size();
        return elements.size() >= length
                && IntStream.range(0, length)
                        .allMatch(each -> Key.relaxed(elements.get(each).text())
                                .equals(prefix.elements.get(each).text()));
    }

    PropertyPath below(PropertyPath prefix) {
        return new PropertyPath(elements.subList(prefix.elements.size(), elements.size()));
    }

    SettingNode from(SettingNode root) {
        SettingNode node = root;
        for (Element element : elements.subList(0, Math.min(DEEPEST, elements.size()))) {
            node = element.isIndex() ? node.item(new BigInteger(element.text())) : node.field(element.text());
        }
        return elements.size() <= DEEPEST ? node : node.field(joined(elements.subList(DEEPEST, elements.size()), "."));
    }

    /**
     * Joins the words of a variable into keys. An environment variable has the same underscore between keys and within
     * them. The known keys are found first. The words between two keys form one name.
     */
    PropertyPath asEnvironmentVariable() {
        int key = IntStream.range(1, elements.size())
                .filter(each -> wordsOfKey(each, Key.Place.WORKFLOW) > 0)
                .findFirst()
                .orElse(0);
        if (key == 0) {
            return this;
        }
        List<Element> path = new ArrayList<>();
        path.add(name(elements.subList(0, key)));
        int next = addKey(path, key, Key.Place.WORKFLOW);
        while (next < elements.size() && elements.get(next).isIndex()) {
            path.add(elements.get(next++));
        }
        int words = wordsOfKey(next, Key.Place.STEP);
        if (words > 0) {
            next = addKey(path, next, Key.Place.STEP);
            int end = next;
            while (end < elements.size() && !elements.get(end).isIndex()) {
                end++;
            }
            if (end > next) {
                path.add(name(elements.subList(next, end)));
                next = end;
            }
        }
        path.addAll(elements.subList(next, elements.size()));
        return new PropertyPath(List.copyOf(path));
    }

    private int addKey(List<Element> path, int from, Key.Place place) {
        int end = from + wordsOfKey(from, place);
        path.add(name(elements.subList(from, end)));
        return end;
    }

    /**
     * Returns the number of words of the longest key that begins here: {@code status-types} rather than {@code status}.
     */
    private int wordsOfKey(int from, Key.Place place) {
        for (int words = Math.min(3, elements.size() - from); words > 0; words--) {
            List<Element> some = elements.subList(from, from + words);
            String written = joined(some, "-");
            if (some.stream().noneMatch(Element::isIndex)
                    && Key.of(place).stream().anyMatch(key -> key.isWrittenAs(written))) {
                return words;
            }
        }
        return 0;
    }

    private static Element name(List<Element> words) {
        return new Element(joined(words, "-"), false);
    }

    private static String joined(List<Element> elements, String separator) {
        return elements.stream().map(Element::text).collect(Collectors.joining(separator));
    }
}
