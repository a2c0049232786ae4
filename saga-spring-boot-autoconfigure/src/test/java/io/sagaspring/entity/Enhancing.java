package io.sagaspring.entity;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.hibernate.bytecode.enhance.spi.DefaultEnhancementContext;
import org.hibernate.bytecode.enhance.spi.Enhancer;
import org.hibernate.bytecode.enhance.spi.UnloadedClass;
import org.hibernate.bytecode.internal.BytecodeProviderInitiator;

/**
 * Loads the classes of one package, and enhances the bytecode of some of them for Hibernate, as the build of an
 * application may do.
 */
final class Enhancing extends ClassLoader {

    private final String prefix;
    private final Set<String> names;

    Enhancing(Class<?>... enhanced) {
        super(enhanced[0].getClassLoader());
        this.prefix = enhanced[0].getPackageName() + ".";
        this.names = Stream.of(enhanced).map(Class::getName).collect(Collectors.toSet());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(prefix)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? enhanced(name) : loaded;
        }
    }

    private Class<?> enhanced(String name) throws ClassNotFoundException {
        try (InputStream source = getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (source == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] plain = source.readAllBytes();
            byte[] enhanced = names.contains(name) ? enhanced(name, plain) : plain;
            return defineClass(name, enhanced, 0, enhanced.length);
        } catch (IOException unreadable) {
            throw new ClassNotFoundException(name, unreadable);
        }
    }

    private static byte[] enhanced(String name, byte[] plain) {
        Enhancer enhancer = Objects.requireNonNull(
                BytecodeProviderInitiator.buildDefaultBytecodeProvider().getEnhancer(new DefaultEnhancementContext() {
                    @Override
                    public boolean doDirtyCheckingInline(UnloadedClass type) {
                        return true;
                    }
                }));
        return Objects.requireNonNull(enhancer.enhance(name, plain));
    }
}
