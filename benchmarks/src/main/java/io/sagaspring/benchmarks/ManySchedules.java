package io.sagaspring.benchmarks;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.schedule.Firing;
import io.sagaspring.schedule.RunSchedule;
import io.sagaspring.schedule.RunSchedules;
import java.lang.invoke.MethodHandles;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.AnnotationVisitor;
import org.springframework.asm.ClassWriter;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.Type;

/** A run that many schedules start at the same instants. The schedules are annotations of a generated subclass. */
class ManySchedules implements DurableRun<Firing, @Nullable Void> {

    private final Consumer<Firing> begun;

    ManySchedules(Consumer<Firing> begun) {
        this.begun = begun;
    }

    @Override
    public String name() {
        return "manySchedules";
    }

    @Override
    public @Nullable Void run(RunContext run, Firing firing) {
        begun.accept(firing);
        return null;
    }

    /** Generates a subclass with this many schedules. */
    static Class<? extends ManySchedules> with(int count, Duration every) {
        String parent = Type.getInternalName(ManySchedules.class);
        String constructor = Type.getMethodDescriptor(Type.VOID_TYPE, Type.getType(Consumer.class));
        ClassWriter type = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        type.visit(Opcodes.V17, Opcodes.ACC_FINAL, parent + "Of" + count, null, parent, null);
        AnnotationVisitor container = type.visitAnnotation(Type.getDescriptor(RunSchedules.class), true);
        AnnotationVisitor schedules = container.visitArray("value");
        for (int number = 0; number < count; number++) {
            AnnotationVisitor schedule = schedules.visitAnnotation(null, Type.getDescriptor(RunSchedule.class));
            schedule.visit("name", "schedule-" + number);
            schedule.visit("fixedRate", every.toString());
            schedule.visitEnd();
        }
        schedules.visitEnd();
        container.visitEnd();
        MethodVisitor body = type.visitMethod(0, "<init>", constructor, null, null);
        body.visitCode();
        body.visitVarInsn(Opcodes.ALOAD, 0);
        body.visitVarInsn(Opcodes.ALOAD, 1);
        body.visitMethodInsn(Opcodes.INVOKESPECIAL, parent, "<init>", constructor, false);
        body.visitInsn(Opcodes.RETURN);
        body.visitMaxs(0, 0);
        body.visitEnd();
        type.visitEnd();
        try {
            return MethodHandles.lookup().defineClass(type.toByteArray()).asSubclass(ManySchedules.class);
        } catch (IllegalAccessException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
