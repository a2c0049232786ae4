package io.sagaspring.docs;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.doctree.DocTree;
import com.sun.source.doctree.ParamTree;
import com.sun.source.doctree.ReturnTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The Javadoc comments of Java sources, read with the compiler's own parser. */
record JavaComments(List<PlainWords.Text> leads, List<PlainWords.Text> tags, List<PlainWords.Text> all) {

    static JavaComments of(Collection<Path> sources) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            JavacTask parser = (JavacTask) compiler.getTask(
                    null, files, ignored -> {}, null, null, files.getJavaFileObjectsFromPaths(sources));
            JavaComments found = new JavaComments(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
            DocTrees comments = DocTrees.instance(parser);
            for (CompilationUnitTree unit : parser.parse()) {
                new Scan(comments, unit, found).scan(unit, null);
            }
            return found;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static final class Scan extends TreePathScanner<Void, Void> {

        private final DocTrees comments;
        private final CompilationUnitTree unit;
        private final JavaComments found;

        Scan(DocTrees comments, CompilationUnitTree unit, JavaComments found) {
            this.comments = comments;
            this.unit = unit;
            this.found = found;
        }

        @Override
        public Void scan(Tree tree, Void nothing) {
            if (tree != null) {
                TreePath path = getCurrentPath() == null ? new TreePath(unit) : new TreePath(getCurrentPath(), tree);
                DocCommentTree comment = comments.getDocCommentTree(path);
                if (comment != null) {
                    read(comment, tree);
                }
            }
            return super.scan(tree, null);
        }

        private void read(DocCommentTree comment, Tree tree) {
            long line = unit.getLineMap()
                    .getLineNumber(comments.getSourcePositions().getStartPosition(unit, tree));
            String place =
                    "%s:%d".formatted(Path.of(unit.getSourceFile().toUri()).getFileName(), line);
            add(found.leads, place, comment.getFirstSentence());
            add(found.all, place, comment.getFullBody());
            for (DocTree tag : comment.getBlockTags()) {
                if (tag instanceof ParamTree parameter) {
                    add(found.tags, place, parameter.getDescription());
                    add(found.all, place, parameter.getDescription());
                } else if (tag instanceof ReturnTree result) {
                    add(found.tags, place, result.getDescription());
                    add(found.all, place, result.getDescription());
                }
            }
        }

        private static void add(List<PlainWords.Text> texts, String place, List<? extends DocTree> text) {
            String words = text.stream()
                    .map(DocTree::toString)
                    .collect(Collectors.joining())
                    .replaceAll("\\{@\\w+\\s+([^}]*)}", "$1")
                    .replaceAll("<[^>]*>", " ")
                    .replaceAll("\\s+", " ")
                    .strip();
            if (!words.isEmpty()) {
                texts.add(new PlainWords.Text(place, words));
            }
        }
    }
}
